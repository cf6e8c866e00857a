import { createEdge } from 'detour/edge';

const edge = createEdge({ rules: [{ old_path: '/old', new_path: '/new' }] });

self.addEventListener('fetch', (event) => {
  const redirect = edge.handle(event.request);
  if (redirect) event.respondWith(redirect);
});
