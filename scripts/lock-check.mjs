import fs from 'node:fs';

const f = process.argv[2] || 'package-lock.json';
const P = JSON.parse(fs.readFileSync(f)).packages;
const out = {};
for (const [k, v] of Object.entries(P)) {
  for (const d of Object.keys({
    ...v.optionalDependencies,
    ...v.dependencies,
    ...(k === '' ? v.devDependencies : {}),
  })) {
    let b = k,
      ok = false;
    for (;;) {
      if (P[`${b ? `${b}/` : ''}node_modules/${d}`]) {
        ok = true;
        break;
      }
      const i = b.lastIndexOf('/node_modules/');
      if (b === '') break;
      b = i < 0 ? '' : b.slice(0, i);
    }
    if (!ok) (out[k || '(root)'] ??= []).push(d);
  }
}
for (const [k, v] of Object.entries(out)) console.log(k, 'MISSING', v.length, v.slice(0, 4).join(' '));
const incomplete = Object.keys(out).length > 0;
console.log(incomplete ? 'package-lock.json is INCOMPLETE' : 'package-lock.json is complete');
if (incomplete) process.exit(1);
