// Search, copy buttons and the current section. The page is complete without this script.
const nav = document.querySelector('nav');
const groups = [...nav.querySelectorAll('.group')];

const find = document.createElement('input');
find.type = 'search';
find.className = 'find';
find.placeholder = 'Find an operation ( / )';
find.setAttribute('aria-label', 'Find an operation');
document.querySelector('.spread').after(find);

find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/);
  for (const group of groups) {
    const entries = [...group.querySelectorAll('li')];
    for (const entry of entries) entry.hidden = !words.every((word) => entry.dataset.find.includes(word));
    group.hidden = entries.every((entry) => entry.hidden);
  }
});

find.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  nav.querySelector('.group:not([hidden]) li:not([hidden]) a')?.click();
});

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  find.focus();
});

for (const curl of document.querySelectorAll('.curl')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(curl.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  curl.append(button);
}

const links = new Map([...nav.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
let current;
const seen = new IntersectionObserver(
  (entries) => {
    const entry = entries.find((one) => one.isIntersecting);
    const link = entry && links.get(entry.target.id);
    if (!link || link === current) return;
    current?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    current = link;
    const { top, height } = nav.getBoundingClientRect();
    const offset = link.getBoundingClientRect().top - top;
    if (offset < 0 || offset > height - 30) nav.scrollTop += offset - height / 2;
  },
  { rootMargin: '-80px 0px -75% 0px' },
);
for (const place of document.querySelectorAll('.operation, #introduction, #objects')) seen.observe(place);
