/** Loads every live rule of a database, as a starting service does, and prints the seconds. */
import { openDatabase } from '../src/db/client.ts';
import { createRulesets } from '../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../src/deployments/publish/prepare-rules.ts';
import { seconds } from './report.ts';

const db = openDatabase(process.argv[2] ?? '');
console.log(await seconds(() => createRulesets(db, prepareRulesFrom(db)).load()));
await db.$client.end();
