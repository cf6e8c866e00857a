import { expect, test } from 'vitest';
import { isScannerPath } from '../../../src/hits/count/count.ts';

test.each([
  '/.env',
  '/app/.env.production',
  '/.git/config',
  '/wp-login.php',
  '/blog/xmlrpc.php',
  '/wp-content/plugins/x/readme.txt',
  '/phpMyAdmin/index.php',
  '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/cgi-bin/luci',
  '/phpmyadmin-4.8/',
  '/uploads/shell.php',
  '/adminer-4.7.8.php',
  '/actuator/health',
  '/backup.sql.gz',
  '/.aws/credentials',
])('%s is a scanner path', (path) => expect(isScannerPath(path)).toBe(true));

test.each([
  '/',
  '/index.php',
  '/old/shop.php',
  '/environment',
  '/blog/git-for-beginners',
  '/wp-content/uploads/2019/05/photo.jpg',
  '/shells-and-stones',
  '/shell-game',
  '/credentials-for-the-press',
  '/pmatch',
  '/news/actuators-explained',
  '/downloads/manual.pdf',
])('%s is a plausible page', (path) => expect(isScannerPath(path)).toBe(false));
