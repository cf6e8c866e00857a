/** Long paths mostly differ at the end: its last characters stay visible, and the ellipsis is in the middle. */
const END_LENGTH = 26;
const SLASH_DISTANCE = 6;

export function PathText({ path }: { path: string }) {
  const cut = path.length <= END_LENGTH ? 0 : cutPosition(path);
  return (
    <span class="path-text" title={path} style={cut > 0 ? { '--end': `${path.length - cut}ch` } : undefined}>
      {cut > 0 && <span class="path-begin">{path.slice(0, cut)}</span>}
      <span class={cut > 0 ? 'path-end' : 'path-whole'}>{path.slice(cut)}</span>
    </span>
  );
}

/** At a nearby slash if there is one, so that the end starts with a whole segment. */
function cutPosition(path: string): number {
  const at = path.length - END_LENGTH;
  const slash = path.indexOf('/', Math.max(1, at - SLASH_DISTANCE));
  return slash > 0 && slash < at + SLASH_DISTANCE ? slash : at;
}
