/**
 * The pages of links in mail: to confirm an address, and to unsubscribe it. Opening one changes nothing, because scanners
 * open links; its form does. A mailbox sends the form by itself (RFC 8058). They need no scripts and no session.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { escapeHtml, htmlPage, STYLE } from '../../accounts/mail/mail-text.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { followLink, LINK_ACTIONS, type LinkAction, openLink } from '../../notices/links.ts';

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Texts {
  title: string;
  question: (address: string) => string;
  button: string;
  done: string;
  next: (address: string) => string;
}

const TEXTS: Record<LinkAction, Texts> = {
  confirm: {
    title: 'Confirm the address',
    question: (address) => `Detour sends notices about the redirects of websites to ${address} when you confirm.`,
    button: 'Confirm',
    done: 'The address is confirmed',
    next: (address) => `Notices go to ${address} from now on. Each one has a link to unsubscribe.`,
  },
  unsubscribe: {
    title: 'Unsubscribe',
    question: (address) => `This notice is sent to ${address}.`,
    button: 'Unsubscribe',
    done: 'You are unsubscribed',
    next: (address) => `This notice is no longer sent to ${address}.`,
  },
};

export function mailPages(app: FastifyInstance, { db, clock, secretBox }: SurfaceDeps): void {
  const config = { public: true, isPage: true };
  for (const action of LINK_ACTIONS) {
    const texts = TEXTS[action];
    const read = (query: unknown) => {
      const { token } = query as { token?: unknown };
      return typeof token === 'string' ? openLink(action, token, { secretBox, now: clock.now() }) : undefined;
    };
    app.get(`/mail/${action}`, { config }, async ({ query }, reply) => {
      const link = read(query);
      if (!link) return sendEnded(reply);
      const form = `<form method="post"><p><button class="button">${texts.button}</button></p></form>`;
      return sendPage(reply, texts.title, [paragraph(texts.question(link.to)), form]);
    });
    app.post(`/mail/${action}`, { config }, async ({ query }, reply) => {
      const link = read(query);
      if (!link || !(await followLink(db, action, link, clock.now()))) return sendEnded(reply);
      return sendPage(reply, texts.done, [paragraph(texts.next(link.to))]);
    });
  }
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

function sendPage(reply: FastifyReply, title: string, content: string[]): FastifyReply {
  return reply
    .headers({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(htmlPage(title, content));
}

const sendEnded = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(410), 'This link does not work any more', [
    paragraph('It has expired, or the notice was deleted or sends to another address. Ask an owner of the account.'),
  ]);
