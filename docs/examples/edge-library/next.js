// middleware.js
import { createEdge, nextMiddleware } from 'detour/edge';

const edge = createEdge({ rules: [{ old_path: '/old', new_path: 'https://www.example.com/new' }] });

export const middleware = nextMiddleware(edge);
export const config = { matcher: '/((?!_next/).*)' };
