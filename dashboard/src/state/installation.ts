/** Settings of this installation that the sign-in page needs. The service writes them into the page. */
export interface Installation {
  takesSignUps: boolean;
  /** runs the embedded database, so the data folder contains the first password */
  isEmbedded: boolean;
}

function read(): Installation {
  const text = document.querySelector<HTMLMetaElement>('meta[name=detour]')?.content ?? '{}';
  const { takesSignUps = false, isEmbedded = false } = JSON.parse(text) as Partial<Installation>;
  return { takesSignUps, isEmbedded };
}

export const installation = read();
