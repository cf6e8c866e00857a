import { createClient } from '../client.ts';
import { type Command, type Context, text } from '../command.ts';
import { UsageError } from '../errors.ts';
import { readConfig, writeConfig } from '../config.ts';
import { serviceUrl } from '../options.ts';
import { listWebsites } from '../website.ts';

const DEFAULT_URL = 'http://localhost:3000';
const KEY = /^dtr_[0-9A-Za-z]+$/;

export const login: Command = {
  summary: 'Verifies an API key and stores it for later commands.',
  options: {},
  notes: `Asks for the URL and the key. Without a terminal, the key is the first line of standard input:
  detour login --url https://detour.example.com < key.txt
The file is ~/.config/detour/config.json ($XDG_CONFIG_HOME/detour/config.json); only your user can read it.`,
  async run(context) {
    const { terminal } = context;
    const url = serviceUrl(await askForUrl(context));
    const apiKey = (await terminal.ask('API key: ', { isSecret: true })).trim();
    if (!KEY.test(apiKey)) throw new UsageError('this is not an API key: a key begins with dtr_ (Settings, API keys)');
    const client = createClient({ url, apiKey }, { note: terminal.note });
    const websites = await listWebsites(client);
    if (new URL(url).protocol === 'http:' && !isLoopback(new URL(url).hostname)) {
      terminal.note('warning: the key is sent without encryption; use https');
    }
    const file = await writeConfig(terminal.env, { url, apiKey });
    const count = websites.length === 1 ? '1 website' : `${websites.length} websites`;
    return { text: `signed in to ${url} (${count}); the key is stored in ${file}`, json: { url, file, websites } };
  },
};

async function askForUrl(context: Context): Promise<string> {
  const { terminal } = context;
  const given = text(context, 'url') ?? terminal.env['DETOUR_URL'];
  if (given) return given;
  if (!terminal.isInteractive) throw new UsageError('add --url: without a terminal, the URL cannot be asked for');
  const usual = (await readConfig(terminal.env)).url ?? DEFAULT_URL;
  return (await terminal.ask(`URL of the service [${usual}]: `)).trim() || usual;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^(127\.|\[::1\])/.test(hostname);
}
