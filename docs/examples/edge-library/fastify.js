import fastify from 'fastify';
import { createEdge, fastifyPlugin } from 'detour/edge';

const edge = createEdge({ rules: [{ old_path: '/old', new_path: '/new', status_code: 308 }] });

const app = fastify();
await app.register(fastifyPlugin(edge));
app.get('/new', async () => 'the new page');
await app.listen({ port: Number(process.env.PORT ?? 3000) });
