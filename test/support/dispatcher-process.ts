/** Runs a dispatcher on DATABASE_URL until SIGTERM. */
import { openDispatcher } from './dispatching.ts';

const dispatcher = await openDispatcher({ url: process.env['DATABASE_URL'] ?? '' });
process.once('SIGTERM', () => void dispatcher.end().then(() => process.exit(0)));
dispatcher.start();
console.log(`ready ${dispatcher.instanceId}`);
