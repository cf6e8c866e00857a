/**
 * The history of a documentation repository: pages are added, renamed, split, merged, moved with their section, deleted
 * and restored, and a list of redirects is kept beside them, with mistakes. Each commit says which URLs it loses.
 */
import { seeded } from './random.ts';

export interface SiteCommit {
  /** such as `rename /guides/a/ (redirect forgotten)` */
  subject: string;
  /** the living pages, sorted */
  pages: string[];
  /** all redirects, oldest first */
  redirects: { old_path: string; new_path: string }[];
  /** URLs that are answered before the commit, and not after it; sorted */
  expectLost: string[];
  /** of these, the URLs whose redirect ends at a page that is gone */
  expectDeadEnds: string[];
}

interface Options {
  commits?: number;
  seed?: number;
}

const SECTIONS = ['guides', 'reference', 'tutorials', 'api', 'faq'];
/** The share of vanished pages that get a redirect. */
const DILIGENCE = 0.75;

/** Yields the commits. The same seed yields the same history. */
export function* siteHistory({ commits = 300, seed = 1 }: Options = {}): Generator<SiteCommit> {
  const site = createSite(seeded(seed));
  for (let count = 0; count < 40; count++) site.add();
  yield site.commit('first pages');
  for (let count = 1; count < commits; count++) yield site.commit(site.change());
}

function createSite(random: () => number) {
  /** By living page: the URLs whose redirects end there. The page itself is not among them. */
  const living = new Map<string, Set<string>>();
  /** By lost page: the URLs whose redirects end there. */
  const lost = new Map<string, Set<string>>();
  const redirects = new Map<string, string>();
  let names = 0;
  let newlyLost: string[] = [];
  let deadEnds: string[] = [];

  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const anyPage = (): string => pick([...living.keys()]);
  const newPath = (section = pick(SECTIONS)): string => {
    const name = `page-${++names}`;
    return pick([`/${section}/${name}/`, `/${section}/${name}.html`, `/${section}/${name}`]);
  };

  function add(path = newPath()): string {
    living.set(path, lost.get(path) ?? new Set());
    lost.delete(path);
    return path;
  }

  /** A page vanishes, with a redirect to `target` or without. Its visitors and those of its redirects share its fate. */
  function remove(page: string, target: string | undefined): void {
    const sources = living.get(page) ?? new Set();
    living.delete(page);
    if (target !== undefined) {
      redirects.set(page, target);
      for (const url of [page, ...sources]) living.get(target)?.add(url);
      return;
    }
    lost.set(page, sources);
    newlyLost.push(page, ...sources);
    deadEnds.push(...sources);
  }

  /** The target if the author thinks of the redirect. */
  const perhaps = (target: string): string | undefined => (random() < DILIGENCE ? target : undefined);
  const note = (target: string | undefined): string => (target === undefined ? ' (redirect forgotten)' : '');

  function replace(what: string, pages: string[], toTarget: (page: string) => string): string {
    const notes = pages.map((page) => {
      const target = perhaps(toTarget(page));
      remove(page, target);
      return page + note(target);
    });
    return `${what} ${notes.join(', ')}`;
  }

  const changes: [weight: number, change: () => string][] = [
    [5, () => `add ${add()}`],
    [4, () => replace('rename', [anyPage()], () => add())],
    [2, split],
    [2, merge],
    [1, moveSection],
    [2, () => deletePage()],
    [2, fix],
    [1, restore],
    [1, () => 'edit texts'],
  ];

  function split(): string {
    const page = anyPage();
    const [first] = [add(), add()];
    return replace('split', [page], () => first);
  }

  function merge(): string {
    const [one, other] = [anyPage(), anyPage()];
    const target = add();
    return replace('merge', [...new Set([one, other])], () => target);
  }

  function moveSection(): string {
    const section = pick(SECTIONS);
    const pages = [...living.keys()].filter((page) => page.startsWith(`/${section}/`)).slice(0, 12);
    return replace(`move of ${section}:`, pages, () => add(newPath(`${section}-v${++names}`)));
  }

  function deletePage(): string {
    const page = anyPage();
    const target = pick([...living.keys()].filter((other) => other !== page));
    return replace('delete', [page], () => target);
  }

  /** A forgotten redirect is added. */
  function fix(): string {
    const [page] = lost.keys();
    if (page === undefined) return 'edit a menu';
    const target = anyPage();
    redirects.set(page, target);
    for (const url of [page, ...(lost.get(page) ?? [])]) living.get(target)?.add(url);
    lost.delete(page);
    return `redirect ${page}`;
  }

  /** A lost page is written again at its path. */
  function restore(): string {
    const page = [...lost.keys()].at(-1);
    return page === undefined ? 'edit a footer' : `restore ${add(page)}`;
  }

  function change(): string {
    const total = changes.reduce((sum, [weight]) => sum + weight, 0);
    let rest = random() * total;
    for (const [weight, run] of changes) {
      rest -= weight;
      if (rest < 0) return run();
    }
    return add();
  }

  function commit(subject: string): SiteCommit {
    const [expectLost, expectDeadEnds] = [newlyLost.toSorted(), deadEnds.toSorted()];
    [newlyLost, deadEnds] = [[], []];
    return {
      subject,
      pages: [...living.keys()].toSorted(),
      redirects: [...redirects].map(([old, target]) => ({ old_path: old, new_path: target })),
      expectLost,
      expectDeadEnds,
    };
  }

  return { add, change, commit };
}
