/** What the page must know of this installation before anybody is signed in: the service writes it into the page that it sends. */
export interface Installation {
  takesSignUps: boolean;
  /** with its own database, hence with a data folder that holds the first password */
  isEmbedded: boolean;
}

function read(): Installation {
  const text = document.querySelector<HTMLMetaElement>('meta[name=detour]')?.content ?? '{}';
  const { takesSignUps = false, isEmbedded = false } = JSON.parse(text) as Partial<Installation>;
  return { takesSignUps, isEmbedded };
}

export const installation = read();
