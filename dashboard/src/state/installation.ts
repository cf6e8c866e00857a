/** Settings of this installation. The service writes them into the page. */
export interface Installation {
  takesSignUps: boolean;
  /** runs the embedded database, so the data folder contains the first password */
  isEmbedded: boolean;
  /** the request of the page had a session cookie, which may have expired */
  hasSession: boolean;
}

function read(): Installation {
  const text = document.querySelector<HTMLMetaElement>('meta[name=detour]')?.content ?? '{}';
  const settings = JSON.parse(text) as Partial<Installation>;
  const { takesSignUps = false, isEmbedded = false, hasSession = false } = settings;
  return { takesSignUps, isEmbedded, hasSession };
}

export const installation = read();
