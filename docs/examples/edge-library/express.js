import express from 'express';
import { createEdge, expressMiddleware } from 'detour/edge';

const edge = createEdge({
  rules: [
    { old_path: '/old', new_path: '/new' },
    { old_path: '/blog/(\\d+)/(.*)', new_path: '/news/$2', is_regex: true },
  ],
});

const app = express();
app.use(expressMiddleware(edge));
app.get('/new', (request, response) => response.send('the new page'));
app.listen(process.env.PORT ?? 3000);
