/** `npm run bench -- [rows] [repeats]`: measures every promised figure (README.md). Default: 1,000,000 rows, 3 repeats. */
import { measureExport } from './export.ts';
import { measureWrites, measureRecording } from './hits.ts';
import { measureImports } from './import.ts';
import { measureOverview } from './overview.ts';
import { finish } from './report.ts';
import { measureLargeRollback, measureRollbacks } from './rollback.ts';
import { measureBytes, measureEdits, measureLoad, measureThroughput } from './serving.ts';
import { startSubject } from './subject.ts';
import { measureWebhooks } from './webhooks.ts';

const DELIVERIES = 25_600;

const [rows = 1_000_000, repeats = 3] = process.argv.slice(2).map(Number);

measureBytes(rows);
let subject = await startSubject();
try {
  const website = await measureImports(subject, rows, repeats);
  await measureExport(subject, website, repeats);
  await measureEdits(subject, website);
  subject = await measureLoad(subject, rows);
  await measureThroughput(subject, website.host, rows);
  await measureRecording(subject.databaseUrl, website.host, rows);
  await measureWrites(subject.databaseUrl);
  // After the measurements of serving, because it adds a second live environment.
  await measureRollbacks(subject, website, rows);
  await measureLargeRollback(subject, website, rows);
  // Last on this database: vacuum of its ten million rows takes a while.
  await measureOverview(subject);
} finally {
  await subject.stop();
}
await measureWebhooks(DELIVERIES);
finish(rows);
