import { createEdge } from 'detour/edge';

const edge = createEdge({ rules: [{ old_path: '/old', new_path: '/new' }] });

Deno.serve((request) => edge.handle(request) ?? new Response('the page'));
