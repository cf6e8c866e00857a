/** Fits a logistic regression by Newton's method. */

export interface Example {
  inputs: number[];
  isRight: boolean;
  weight: number;
}

const MAX_STEPS = 30;

/** The weights of the inputs and, last, the constant. `penalty` keeps weights small (ridge), except the constant. */
export function fitLogistic(examples: readonly Example[], penalty: number): number[] {
  const size = (examples[0]?.inputs.length ?? 0) + 1;
  const weights = new Array<number>(size).fill(0);
  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = weights.map((weight, i) => (i < size - 1 ? penalty * weight : 0));
    const hessian = weights.map((_, i) => weights.map((_, j) => (i === j ? (i < size - 1 ? penalty : 0) + 1e-6 : 0)));
    for (const { inputs, isRight, weight } of examples) {
      const row = [...inputs, 1];
      const logit = row.reduce((sum, input, i) => sum + input * weights[i]!, 0);
      const p = 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, logit))));
      const error = weight * (p - (isRight ? 1 : 0));
      const curvature = weight * p * (1 - p);
      for (let i = 0; i < size; i++) {
        if (row[i] === 0) continue;
        gradient[i]! += error * row[i]!;
        for (let j = 0; j <= i; j++) hessian[i]![j]! += curvature * row[i]! * row[j]!;
      }
    }
    const change = solve(hessian, gradient);
    for (let i = 0; i < size; i++) weights[i]! -= change[i]!;
    if (Math.max(...change.map(Math.abs)) < 1e-5) break;
  }
  return weights;
}

/** Solves a symmetric system of which the lower half is given, by Cholesky's method. */
function solve(lower: number[][], right: number[]): number[] {
  const size = right.length;
  const factor = lower.map((row) => row.slice());
  const solution = right.slice();
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = factor[i]![j]!;
      for (let k = 0; k < j; k++) sum -= factor[i]![k]! * factor[j]![k]!;
      factor[i]![j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / factor[j]![j]!;
    }
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) solution[i]! -= factor[i]![k]! * solution[k]!;
    solution[i]! /= factor[i]![i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) solution[i]! -= factor[k]![i]! * solution[k]!;
    solution[i]! /= factor[i]![i]!;
  }
  return solution;
}
