/** `npm run bench [-- rows] [repeats]`: every promise as a ratio to a limit of the same run. 1,000,000 rows and 3 repeats by default. */
import { measureImports } from './import.ts';
import { finish } from './report.ts';
import { measureBytes, measureEdits, measureLoad, measureThroughput } from './serving.ts';
import { startSubject } from './subject.ts';

const [rows = 1_000_000, repeats = 3] = process.argv.slice(2).map(Number);

measureBytes(rows);
let subject = await startSubject();
try {
  const { host, websiteId } = await measureImports(subject, rows, repeats);
  await measureEdits(subject, host, websiteId);
  subject = await measureLoad(subject, rows);
  await measureThroughput(subject, host, rows);
} finally {
  await subject.stop();
}
finish(rows);
