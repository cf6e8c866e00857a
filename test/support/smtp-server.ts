/** An SMTP server on a real socket that records mail and replies as configured. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface ReceivedMail {
  /** of the envelope */
  from: string;
  to: string[];
  /** headers by name in lower case, unfolded */
  headers: Record<string, string>;
  /** the message as it arrived */
  raw: string;
  text: string;
  html: string;
}

export interface SmtpServer {
  url: string;
  /** in the order of their last bytes */
  mails: ReceivedMail[];
  /** lines of clients, without those of messages */
  commands: string[];
  /** sets the reply to a command (`DATA.` is the end of a message) of later mails; '' never replies */
  reply(command: 'RCPT' | 'DATA.' | 'AUTH', line: string | undefined): void;
  /** open ones */
  connections(): number;
  stop(): Promise<void>;
}

export async function startSmtpServer({ port = 0, extensions = [] as string[] } = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const replies = new Map<string, string>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
    // A client that is killed resets its connection.
    converse(socket).catch(() => undefined);
  });

  async function converse(socket: Socket): Promise<void> {
    const say = (line: string): void => void (line !== '' && socket.write(`${line}\r\n`));
    let envelope = { from: '', to: [] as string[] };
    let message: string[] | undefined;
    say('220 test ESMTP');
    for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
      if (message) {
        if (line !== '.') message.push(line.replace(/^\./, ''));
        else {
          const reply = replies.get('DATA.') ?? '250 stored';
          if (reply.startsWith('2')) mails.push(parse(envelope, message));
          message = undefined;
          say(reply);
        }
        continue;
      }
      commands.push(line);
      const [verb = ''] = line.toUpperCase().split(/[ :]/);
      const address = /<(.*?)>/.exec(line)?.[1] ?? '';
      if (verb === 'EHLO') say([...['test', ...extensions].map((name) => `250-${name}`), '250 8BITMIME'].join('\r\n'));
      else if (verb === 'MAIL') {
        envelope = { from: address, to: [] };
        say('250 ok');
      } else if (verb === 'RCPT') {
        envelope.to.push(address);
        say(replies.get('RCPT') ?? '250 ok');
      } else if (verb === 'DATA') {
        message = [];
        say('354 go on');
      } else if (verb === 'QUIT') {
        socket.end('221 bye\r\n');
      } else say(replies.get(verb) ?? '250 ok');
    }
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    commands,
    reply: (command, line) => void (line === undefined ? replies.delete(command) : replies.set(command, line)),
    connections: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function parse(envelope: { from: string; to: string[] }, lines: string[]): ReceivedMail {
  const raw = lines.join('\r\n');
  const headers = headersOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = raw.split(`--${boundary}`).slice(1, -1);
  const bodyOf = (type: string): string => {
    const part = parts.find((each) => headersOf(each.trimStart())['content-type']?.startsWith(type)) ?? '';
    const body = part.slice(part.indexOf('\r\n\r\n') + 4);
    const encoding = headersOf(part.trimStart())['content-transfer-encoding'];
    if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
    return encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body;
  };
  return { ...envelope, headers, raw, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

function headersOf(message: string): Record<string, string> {
  const head = (message.split('\r\n\r\n', 1)[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
  return Object.fromEntries(
    head.split('\r\n').map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
