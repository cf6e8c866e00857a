npx detour export --website www.example.com --format netlify --lossy --output public/_redirects \
  --etag .detour-etag --json > export.json
if grep --quiet '"changed":true' export.json; then
  echo 'upload public/ to the CDN'
fi
