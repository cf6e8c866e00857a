/** A DNS server on loopback with a few names, some of which it never answers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** as `setServers` takes it */
  address: string;
  /** the queried names, in order */
  asked: string[];
  stop(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_TXT = 16;
const TYPE_AAAA = 28;
const ANSWERED = new Set([TYPE_A, TYPE_CNAME, TYPE_TXT, TYPE_AAAA]);
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

/**
 * Maps names to IPv4 addresses and to IPv6 ones in 32 hex digits, or to the texts of TXT records. `silent` never
 * responds, `broken` with SERVFAIL. `aliases` maps names to those of their CNAME records. Other names do not exist. The maps may change later.
 */
export async function startNameServer(
  names: Record<string, string[] | 'silent' | 'broken'>,
  texts: Record<string, string[]> = {},
  aliases: Record<string, string> = {},
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, end, type } = questionOf(query);
    asked.push(name);
    const addresses = names[name];
    if (addresses === 'silent') return;
    const isBroken = addresses === 'broken';
    const alias = aliases[name];
    const dataOf = (): Buffer[] => {
      if (type === TYPE_TXT) return (texts[name] ?? []).map(chunksOf);
      if (type === TYPE_CNAME) return alias === undefined ? [] : [labelsOf(alias)];
      const ofFamily = (isBroken ? [] : (addresses ?? [])).filter(
        (address) => (type === TYPE_A) === address.includes('.'),
      );
      return ofFamily.map((address) => bytesOf(address, type));
    };
    const records = dataOf().map((data) => recordOf(type, data));
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    const status = isBroken ? SERVER_FAILURE : (addresses ?? texts[name] ?? alias) ? 0 : NO_SUCH_NAME;
    header.writeUInt16BE(0x8180 | status, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(ANSWERED.has(type) ? records.length : 0, 6);
    header.writeUInt32BE(0, 8);
    const answer = [header, query.subarray(HEADER_BYTES, end), ...records];
    socket.send(Buffer.concat(answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The name is a pointer to the one in the question. */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function bytesOf(address: string, type: number): Buffer {
  return type === TYPE_A ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address, 'hex');
}

/** A name as labels, each with its length. */
function labelsOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

/** A text in chunks of at most 255 bytes, each with its length. */
function chunksOf(text: string): Buffer {
  const chunks = text.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(chunks.map((chunk) => Buffer.concat([Buffer.of(chunk.length), Buffer.from(chunk, 'latin1')])));
}
