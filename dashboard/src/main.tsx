import './styles/base.css';
import './styles/ui.css';
import './frame/frame.css';
import { render } from 'preact';
import { App } from './frame/app.tsx';
import { isPage } from './frame/current-route.ts';
import { startRouter } from './router.ts';
import { startPrompts } from './state/prompts.ts';
import { startKeys } from './state/keys.ts';
import { startUnsaved } from './state/unsaved.ts';
import { startPathCopy } from './ui/path-copy.ts';

startRouter(isPage);
startKeys();
startUnsaved();
startPathCopy();
startPrompts();
const root = document.getElementById('app');
if (root) render(<App />, root);
