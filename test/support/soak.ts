/** Returns `many` in `npm run soak`, and `few` in a run that has to end soon. */
export const inSoak = <T>(many: T, few: T): T => (process.env['SOAK'] === '1' ? many : few);
