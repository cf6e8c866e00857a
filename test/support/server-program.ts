/** Runs web servers with a given configuration. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './wait.ts';

/** Apache with one document root, without anything that needs a system directory. */
export function apacheConfiguration(
  { folder, port, modules }: { folder: string; port: number; modules: string[] },
  inDirectory: string,
): string {
  const loaded = ['mpm_event', 'authz_core', ...modules].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return `ServerRoot ${folder}
ServerName localhost
${loaded.join('\n')}
User www-data
Group www-data
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
DocumentRoot ${folder}/root
<Directory ${folder}/root>
${inDirectory}
Require all granted
</Directory>`;
}

/** Starts a program, and returns a function that stops it. Rejects with its errors if it ends before `isUp`. */
export async function startProgram(
  program: string,
  parameters: string[],
  { home, isUp }: { home: string; isUp: () => Promise<boolean> },
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(program, parameters, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, HOME: home },
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const exited = once(child, 'exit');
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${errors.slice(-2_000)}`);
    return isUp();
  });
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
