/**
 * Prints the bill of materials of the service (CycloneDX): `npm run --silent sbom`. `npm sbom --omit dev` leaves out a
 * production dependency that a development dependency has too, so this takes those that npm does not mark.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

interface Component {
  'bom-ref': string;
  properties?: { name: string; value: string }[];
}

interface Bill {
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const output = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
  cwd: join(import.meta.dirname, '..'),
  encoding: 'utf8',
  maxBuffer: 100_000_000,
});
const bill: Bill = JSON.parse(output);

const isDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const left = new Set(bill.components.filter(isDevelopment).map((component) => component['bom-ref']));
const components = bill.components.filter((component) => !left.has(component['bom-ref']));
const dependencies = bill.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
console.log(JSON.stringify({ ...bill, components, dependencies }, null, 2));
