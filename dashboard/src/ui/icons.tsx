/** Stroke icons on a 16 px grid, inline so that no font or sprite is loaded. */
const PATHS = {
  home: 'M2 8l6-5.5L14 8M4 6.5v7h8v-7M6.7 13.5v-4h2.6v4',
  redirects: 'M2.5 11.5V9a3 3 0 0 1 3-3h8M10.5 3l3 3-3 3',
  deployments: 'M8 10.5v-8M5 5l3-3 3 3M2.5 10v2.5a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1V10',
  import: 'M8 2.5v7M5 7l3 3 3-3M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2',
  tester: 'M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M6 8l1.5 1.5L10.5 6.5',
  websites: 'M2.5 8a5.5 5.5 0 1 0 11 0 5.5 5.5 0 1 0-11 0M2.5 8h11M8 2.5c4 3.5 4 7.5 0 11M8 2.5c-4 3.5-4 7.5 0 11',
  analytics: 'M3 13V9M6.5 13V3M10 13V6.5M13.5 13v-3',
  missing: 'M4 2.5h5l3.5 3.5v7.5h-8.5zM6.3 8.2l3.4 3.4M9.7 8.2l-3.4 3.4',
  urls: 'M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.01M2.8 8h.01M2.8 12h.01',
  webhooks: 'M5.5 6.5 8 2.5l2.5 4M3.5 9 2 12h5M12.5 9l1.5 3H9',
  notices: 'M3 11.5c1-1 1.3-2 1.3-4.3a3.7 3.7 0 0 1 7.4 0c0 2.3.3 3.3 1.3 4.3zM6.5 13.8h3',
  activity: 'M2 8h2.5l2-5 3 10 2-5H14',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M10.5 10.5l3 3',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4.5 6.5 8 10l3.5-3.5',
  up: 'M4.5 9.5 8 6l3.5 3.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  rows: 'M2.5 3h11M2.5 6.3h11M2.5 9.7h11M2.5 13h11',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3h.01',
  check: 'M3 8.5 6.5 12 13 4.5',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7H7',
  edit: 'M3 13h2.5l7-7L10 3.5l-7 7zM8.5 5l2.5 2.5',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
  user: 'M5.5 5.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4',
  keys: 'M2 4.5h12v7.5H2zM4.5 7h.01M7 7h.01M9.5 7h.01M11.7 7h.01M5 9.7h6',
  key: 'M2.5 10.5a2.75 2.75 0 1 0 5.5 0 2.75 2.75 0 1 0-5.5 0M7.2 8.6 13 2.8M10.2 5.6l2 2M12.2 3.6l1.3 1.3',
  account: 'M3 13.5v-11h6v11M9 6h4v7.5M2 13.5h12M5.2 5h1.6M5.2 7.5h1.6M5.2 10h1.6M11 8.5h.01M11 11h.01',
  audit: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6L10.4 6.4',
  expectations: 'M2.5 4 4 5.5 6.5 3M2.5 10.5 4 12l2.5-2.5M9 4.5h4.5M9 11h4.5',
  health: 'M8 13.2 3.2 8.4a3 3 0 0 1 4.2-4.3l.6.6.6-.6a3 3 0 0 1 4.2 4.3z',
  copy: 'M6 6h7.5v7.5H6zM3.5 10h-1V2.5H10v1',
  file: 'M4 2.5h5l3.5 3.5v7.5h-8.5zM9 2.5v3.5h3.5',
  arrow: 'M2.5 8h11M10 4.5 13.5 8 10 11.5',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5',
  settings:
    'M2.5 5h5M11 5h2.5M2.5 11H5M8.5 11h5M7.5 5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0M5 11a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0',
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the text beside it or the label of its button has the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The logo. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect x="5" y="5" width="22" height="22" rx="5" fill="#f26b1d" transform="rotate(45 16 16)" />
      <path
        d="M12 22v-5a4 4 0 0 1 4-4h4m-3-3.5 3.5 3.5L17 16.5"
        fill="none"
        stroke="#fff"
        stroke-width="2.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
