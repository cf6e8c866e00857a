import './styles/base.css';
import './styles/ui.css';
import './frame/frame.css';
import { render } from 'preact';
import { App } from './frame/app.tsx';
import { isPage } from './frame/current-route.ts';
import { startRouter } from './router.ts';
import { startConfirmations } from './state/confirmation.ts';
import { startKeys } from './state/keys.ts';
import { startPathCopy } from './ui/path-copy.ts';

startRouter(isPage);
startKeys();
startPathCopy();
startConfirmations();
const root = document.getElementById('app');
if (root) render(<App />, root);
