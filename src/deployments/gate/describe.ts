/** Failed expectations as JSON on the wire, and in words for the error of a deployment. */
import type { ActualResponse, ExpectedResponse, Failure } from './compare.ts';

/** A failure as JSON text, as every surface sends it. */
export function failureJson({ url, expected, actual }: Failure): string {
  return JSON.stringify({
    url,
    expected: { status_code: expected.statusCode, location: expected.location, final: expected.final },
    actual: wireActual(actual),
  });
}

const wireActual = ({ statusCode, location, final, problem }: ActualResponse) => ({
  status_code: statusCode,
  location,
  final,
  problem,
});

/** The response of a failure as JSON text, as it is stored with its expectation. */
export const actualJson = (actual: ActualResponse): string => JSON.stringify(wireActual(actual));

/** Reads what `actualJson` wrote. */
export function storedActual(text: string): ActualResponse {
  const { status_code: statusCode, location, final, problem } = JSON.parse(text) as ReturnType<typeof wireActual>;
  return { statusCode, location, final, problem };
}

/** Failures that the error of a deployment names. */
const MAX_NAMED = 3;
/** Characters of an address in an error. */
const MAX_SHOWN = 200;

/** Says how many expectations failed, with the first ones. */
export function failuresInWords(failed: number, total: number, failures: Failure[]): string {
  const counts = `${failed.toLocaleString('en')} of ${total.toLocaleString('en')} expectations failed`;
  const named = failures.slice(0, MAX_NAMED).map(inWords);
  return `${counts}: ${named.join('; ')}${failed > named.length ? '; and more' : ''}`;
}

function inWords({ url, expected, actual }: Failure): string {
  const got = actual.problem ?? responseInWords(actual);
  return `${shown(url)}: expected ${responseInWords(expected)}, got ${got}`;
}

function responseInWords({ statusCode, location, final }: ExpectedResponse | ActualResponse): string {
  if (final !== null) return `${statusCode} ending at ${shown(final)}`;
  return location === null ? String(statusCode) : `${statusCode} to ${shown(location)}`;
}

/** An address in an error, cut at 200 characters. */
export const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
