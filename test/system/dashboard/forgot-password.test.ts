/** A forgotten password in a browser, with the mail that the service sends. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { until } from '../../support/wait.ts';
import { type DashboardTest, expectAccessible, expectFits, startDashboard } from './browser.ts';
import { pathOf, signedIn } from './users.ts';

let dashboard: DashboardTest;
let smtp: SmtpServer;
beforeAll(async () => {
  smtp = await startSmtpServer();
  dashboard = await startDashboard({ SMTP_URL: smtp.url, MAIL_FROM: 'noreply@detour.example' });
});
afterAll(async () => {
  await dashboard?.stop();
  await smtp?.stop();
});

test('a user who forgot the password requests a link, opens it and signs in with a new one', async () => {
  const page = await dashboard.openAnonymously('/sign-in');
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.getByText(`If ${dashboard.owner.email} signs in here`).waitFor();
  await expectAccessible(page);
  await expectFits(page, 360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Back to sign-in' }).click();
  await page.getByRole('button', { name: 'Forgot password?' }).waitFor();

  await until(() => Promise.resolve(smtp.mails.length > 0));
  const [link = ''] = /http\S+/.exec(smtp.mails[0]?.text ?? '') ?? [];
  await page.goto(pathOf(link));
  await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
  await page.getByRole('button', { name: 'Set password' }).click();
  await signedIn(page);
});

test('the card of a new invitation says that it was mailed, and the mail is readable in a narrow window, light and dark', async () => {
  const page = await dashboard.openAnonymously('/sign-in');
  await page.getByLabel('Email').fill(dashboard.owner.email);
  await page.getByLabel('Password', { exact: true }).fill('another horse battery');
  await page.keyboard.press('Enter');
  await signedIn(page);
  const before = smtp.mails.length;
  const created = await page.evaluate(async () => {
    const body = JSON.stringify({ email: 'invited@example.com', role: 'editor' });
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/invitations', { method: 'POST', headers, body })).status;
  });
  expect(created).toBe(201);
  await page.goto('/account');
  await page.getByRole('button', { name: 'New link for invited@example.com' }).click();
  await page.getByText('It was mailed to').waitFor();
  await expectAccessible(page);

  await until(() => Promise.resolve(smtp.mails.length > before));
  const mail = await page.context().newPage();
  for (const colorScheme of ['light', 'dark'] as const) {
    await mail.emulateMedia({ colorScheme });
    await mail.setContent(smtp.mails.at(-1)?.html ?? '');
    await expectAccessible(mail);
    await expectFits(mail, 360);
  }
});
