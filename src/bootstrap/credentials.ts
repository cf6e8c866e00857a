import { join } from 'node:path';
import { z } from 'zod';
import { generatePassword } from '../accounts/sign-in/password.ts';
import type { Config } from '../platform/config/config.ts';
import { readPrivateFile, writePrivateFile } from '../platform/config/data-dir.ts';

/** The content of credentials.json. */
export interface Credentials {
  base_url: string;
  email: string;
  password: string;
  api_key: string;
  website_id: number;
  hosts: string[];
}

const DEFAULT_EMAIL = 'owner@example.com';

const fileOf = (config: Config): string => join(config.dataDir, 'credentials.json');

/** Writes credentials.json, readable by the owner only. Throws if the file cannot be written. */
export function writeCredentials(config: Config, credentials: Partial<Credentials>): void {
  writePrivateFile(fileOf(config), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** The owner's email and password: from the configuration, else from the file of an interrupted start, else new. */
export function ownerCredentials(config: Config, isInterrupted: boolean): Pick<Credentials, 'email' | 'password'> {
  const email = (config.ownerEmail ?? DEFAULT_EMAIL).trim().toLowerCase();
  const written = isInterrupted ? writtenPassword(config, email) : undefined;
  return { email, password: config.ownerPassword ?? written ?? generatePassword() };
}

function writtenPassword(config: Config, email: string): string | undefined {
  const file: unknown = JSON.parse(readPrivateFile(fileOf(config)) ?? '{}');
  return z.object({ email: z.literal(email), password: z.string() }).safeParse(file).data?.password;
}
