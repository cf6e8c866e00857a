import express from 'express';
import { createEdge, expressMiddleware } from 'detour/edge';

const edge = createEdge({ rules: [{ old_path: '/product/(.*)', new_path: '/shop', is_regex: true }], onlyOn404: true });

const app = express();
app.use(expressMiddleware(edge));
app.get('/product/:id', (request, response) => {
  if (request.params.id === '1') response.send('the product');
  else response.status(404).send('no such product');
});
app.listen(process.env.PORT ?? 3000);
