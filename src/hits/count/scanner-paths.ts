/**
 * Paths that scanners request on every website: secrets, consoles and known vulnerabilities. They are marked as noise,
 * so that they do not hide the paths that real visitors miss. Plausible old pages such as /index.php are not on the
 * list.
 */
const SCANNER_PATHS: RegExp[] = [
  // Files with secrets in any folder, and database backups.
  /\/\.(?:env|git|svn|hg|aws|ssh|docker|kube|vscode|idea|npmrc|htpasswd|htaccess|DS_Store)(?:$|[./_-])/i,
  /\/(?:id_rsa|id_dsa|id_ed25519|credentials(?:\.[a-z]+)?|secrets?\.(?:json|ya?ml|txt)|web\.config|configuration\.php)$/i,
  /\/wp-config\b/i,
  /\.(?:sql|bak|old|swp|tar|tgz|rar|7z)(?:\.(?:gz|zip|bz2))?$/i,
  // WordPress: login, API, plugins.
  /\/(?:wp-login|xmlrpc|wp-cron|wp-signup|wlwmanifest|wp-trackback)\b/i,
  /\/wp-(?:admin|includes|json|content\/(?:plugins|themes))(?:\/|$)/i,
  // Database and server consoles.
  /\/(?:phpmyadmin[^/]*|pma|myadmin|mysqladmin|dbadmin|(?:adminer|phpinfo)(?:-[\d.]+)?(?:\.php)?)(?:\/|$)/i,
  /\/(?:actuator|server-status|server-info|jmx-console|web-console|solr|jenkins|hudson|manager\/html|druid)(?:\/|$)/i,
  // Known vulnerabilities.
  /\/(?:cgi-bin|vendor\/phpunit|boaform|HNAP1|GponForm|owa\/auth|autodiscover|_ignition|telescope|eval-stdin|(?:shell|alfa|c99|r57)\.php)(?:$|[./])/i,
  /\/(?:%5C|\.\.%|%2e%2e)|\$%7B|%3Cscript/i,
];

/** True for a canonical path that only scanners request. */
export function isScannerPath(path: string): boolean {
  return SCANNER_PATHS.some((pattern) => pattern.test(path));
}
