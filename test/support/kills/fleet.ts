/** Processes of the service behind nginx, which are killed at random and started again. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../src/platform/postgres/server.ts';
import { scrape } from '../metrics.ts';
import { type Nginx, startNginx } from '../nginx.ts';
import { openWorkshop, type ServiceProcess } from '../process.ts';
import { until } from '../wait.ts';

/** Longest wait before a kill: for so many acknowledged calls, and so long after them. */
const MAX_CALLS = 9;
const MAX_PAUSE_MS = 300;
/** Longest time from the read of a process's metrics to its kill. */
const MAX_DELAY_MS = 40;
/** One of so many signals is SIGTERM. */
const SIGTERM_OF = 5;

export interface Kill {
  port: number;
  signal: 'SIGKILL' | 'SIGTERM';
  /** performance.now() of the signal */
  at: number;
  /** hits that the process had counted and not written at a time just before; if it was starting, of its launch */
  counted: { unwritten: number; at: number };
  /** SIGTERM ended the process in order, with all hits written; a busy machine may not do it within the limit */
  isOrderly: boolean;
}

interface Slot {
  port: number;
  service: ServiceProcess;
  startedAt: number;
  isReady: boolean;
  /** the signal that was sent to the process that runs now */
  kill: Kill | undefined;
}

export interface Fleet {
  /** of nginx */
  address: string;
  /** of the processes */
  addresses: string[];
  dataDirOf(address: string): string;
  /**
   * Sends random signals to random processes, always while another one is ready. Each is started again. The moment
   * depends on how many calls were acknowledged, not on how busy the machine is.
   */
  killAtRandom(count: number, random: () => number, acknowledged: () => number): Promise<Kill[]>;
  allReady(): Promise<void>;
  /** exits that no signal explains */
  problems: string[];
  stop(): Promise<void>;
}

async function countedBy({ port, isReady, startedAt }: Slot): Promise<Kill['counted']> {
  const at = performance.now();
  const metrics = isReady && (await scrape(`http://127.0.0.1:${port}`).catch(() => undefined));
  const unwritten = metrics ? metrics.value('detour_hits_unwritten') : undefined;
  return unwritten === undefined ? { unwritten: 0, at: startedAt } : { unwritten, at };
}

/** Starts the processes and nginx. The service's own address is that of nginx. */
export async function startFleet(count: number, env: Record<string, string>): Promise<Fleet> {
  const workshop = openWorkshop();
  const front = await freePort('127.0.0.1');
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort('127.0.0.1'));
  const problems: string[] = [];
  let isOver = false;

  const dataDirOf = (port: number): string => join(workshop.dataDir, '..', `data-${port}`);
  function launch(slot: Slot): void {
    const service = workshop.start({
      PORT: String(slot.port),
      DATA_DIR: dataDirOf(slot.port),
      PUBLIC_URL: `http://127.0.0.1:${front}`,
      TRUST_PROXY: '1',
      ...env,
    });
    Object.assign(slot, { service, startedAt: performance.now(), isReady: false, kill: undefined });
    service.ready.then(
      () => (slot.isReady = !slot.kill),
      () => {},
    );
    void service.ended.then(({ code, stderr }) => {
      slot.isReady = false;
      const kill = slot.kill;
      const isComplete = code === 0 && !stderr.includes(' were lost');
      if (kill) kill.isOrderly = kill.signal === 'SIGTERM' && isComplete;
      else if (!isOver) problems.push(`${slot.port} ended with ${code}: ${stderr.slice(-2_000)}`);
      if (!isOver) launch(slot);
    });
  }

  const slots = ports.map((port) => ({ port }) as Slot);
  for (const slot of slots) launch(slot);
  const allReady = async (): Promise<void> => {
    await until(() => Promise.resolve(slots.every(({ isReady }) => isReady)), 120_000);
  };
  await allReady();
  const nginx: Nginx = await startNginx(front, ports);

  async function killAtRandom(kills: number, random: () => number, acknowledged: () => number): Promise<Kill[]> {
    const sent: Kill[] = [];
    while (sent.length < kills) {
      const enough = acknowledged() + Math.ceil(random() * MAX_CALLS);
      await until(() => Promise.resolve(acknowledged() >= enough), 120_000);
      await pause(random() * MAX_PAUSE_MS);
      const victims = await until(() => {
        const found = slots.filter((slot) => !slot.kill && slots.some((other) => other !== slot && other.isReady));
        return Promise.resolve(found.length > 0 && found);
      }, 120_000);
      const slot = victims[Math.floor(random() * victims.length)];
      if (!slot) continue;
      const signal = random() < 1 / SIGTERM_OF ? 'SIGTERM' : 'SIGKILL';
      const { service } = slot;
      const counted = await countedBy(slot);
      await pause(random() * MAX_DELAY_MS);
      // It ended on its own, which is a problem.
      if (slot.service !== service) continue;
      const kill: Kill = { port: slot.port, signal, at: performance.now(), counted, isOrderly: false };
      sent.push(kill);
      Object.assign(slot, { isReady: false, kill });
      slot.service.signal(signal);
    }
    await allReady();
    return sent;
  }

  return {
    address: nginx.address,
    addresses: ports.map((port) => `http://127.0.0.1:${port}`),
    dataDirOf: (address) => dataDirOf(Number(new URL(address).port)),
    killAtRandom,
    allReady,
    problems,
    async stop() {
      isOver = true;
      await nginx.stop();
      await workshop.clear();
    },
  };
}
