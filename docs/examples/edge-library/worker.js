import { createEdge, fetchMiddleware } from 'detour/edge';

const redirects = fetchMiddleware(createEdge({ rules: [{ old_path: '/old', new_path: '/new' }], onlyOn404: true }));

export default {
  fetch: (request) => redirects(request, (passed) => fetch(passed)),
};
