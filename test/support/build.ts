/** Builds what `npm start` builds, once per run, if its sources have changed, before several test files start a service. */
export default async function setup(): Promise<void> {
  await import('../../scripts/build-dashboard.ts');
  await import('../../scripts/build-package.ts');
}
