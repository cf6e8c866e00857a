/** Why a deployment failed, and the warnings of a version. */
import type { Deployment } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';

/** The error without its code. Of failed expectations only the number, because their list is one click away. */
export const deploymentError = (error: string): string =>
  error
    .replace(/^EXPECTATIONS_FAILED: ([^:]+)[^]*$/, '$1.')
    .replace(/^REDIRECT_LOOP: ([^]*?) are a loop/, 'It contains a redirect loop: $1')
    .replace(/^(REDIRECT_LOOP|LOOP_SEARCH_CUT_SHORT|EXPECTATIONS_CUT_SHORT|URLS_LOST|URLS_CUT_SHORT): /, '')
    .replaceAll(' -> ', ' → ');

export const isLoopFailure = ({ error }: Pick<Deployment, 'error'>): boolean =>
  /^(REDIRECT_LOOP|LOOP_SEARCH_CUT_SHORT): /.test(error ?? '');

/** Warnings in an entry of the history; a version may have 1,000. */
const MAX_WARNINGS = 10;

const keyOf = ({ code, old_paths: paths }: Deployment['warnings'][number]): string => code + paths.join();

/** The warnings of a version; with `former`, only those that it lacks, and how many both have. */
export function Warnings({
  warnings: all,
  former,
}: Pick<Deployment, 'warnings'> & { former?: Pick<Deployment, 'warnings' | 'version'> | undefined }) {
  const before = new Set(former?.warnings.map(keyOf));
  const warnings = all.filter((warning) => !before.has(keyOf(warning)));
  const hidden = warnings.length - MAX_WARNINGS;
  const old = all.length - warnings.length;
  return (
    <>
      {old > 0 && <p class="small muted">{`${counted(old, 'warning')} as in version ${former?.version}`}</p>}
      {warnings.slice(0, MAX_WARNINGS).map(({ code, old_paths, growing }) => (
        <p key={code + old_paths.join()} class="warned break">
          {warningLabel(code, growing === true)} {old_paths.length > 0 && <code>{pathsText(code, old_paths)}</code>}
          {growing && '. Each step makes the address longer, so visitors see an error.'}
        </p>
      ))}
      {hidden > 0 && <p class="warned">and {counted(hidden, 'more warning')}. Health lists every loop.</p>}
    </>
  );
}

function pathsText(code: string, paths: string[]): string {
  if (code !== 'URL_SHADOWED') return paths.join(' → ');
  const hidden = paths.length - MAX_WARNINGS;
  return paths.slice(0, MAX_WARNINGS).join(', ') + (hidden > 0 ? `, and ${hidden} more` : '');
}

function warningLabel(code: string, isGrowing: boolean): string {
  if (code === 'MORE_LOOPS') return 'This version has more than 1,000 loops.';
  if (code === 'LOOP_SEARCH_CUT_SHORT') return 'The search for loops ended after 60 s. There may be more.';
  if (code === 'URL_SHADOWED') return 'Living pages that a redirect hides:';
  if (code === 'MORE_URLS_SHADOWED') return 'More than 1,000 living pages are hidden.';
  if (code !== 'REDIRECT_LOOP') return `${code}:`;
  return isGrowing ? 'Growing loop:' : 'Loop:';
}
