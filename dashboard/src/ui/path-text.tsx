/** What tells long paths apart is most often their end: that stays, and the ellipsis goes into the middle. */
const KEPT = 26;
const NEAR = 6;

export function PathText({ path }: { path: string }) {
  const cut = path.length <= KEPT ? 0 : wholeParts(path);
  return (
    <span class="path-text" title={path} style={cut > 0 ? { '--end': `${path.length - cut}ch` } : undefined}>
      {cut > 0 && <span class="path-begin">{path.slice(0, cut)}</span>}
      <span class={cut > 0 ? 'path-end' : 'path-whole'}>{path.slice(cut)}</span>
    </span>
  );
}

/** At a slash where one is near, so that what stays is a whole name. */
function wholeParts(path: string): number {
  const at = path.length - KEPT;
  const slash = path.indexOf('/', Math.max(1, at - NEAR));
  return slash > 0 && slash < at + NEAR ? slash : at;
}
