import { type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';

export const SHOWN = [
  ['paths', 'Worth a look'],
  ['noise', 'Noise of scanners'],
  ['ignored', 'Put aside'],
] as const;

export type Shown = (typeof SHOWN)[number][0];

export interface View {
  environment: Environment;
  shown: Shown;
}

export function viewOf(query: URLSearchParams): View {
  const environment = query.get('environment') ?? '';
  const [shown] = SHOWN.find(([name]) => name === query.get('show')) ?? ['paths' as const];
  return { environment: isEnvironment(environment) ? environment : 'production', shown };
}
