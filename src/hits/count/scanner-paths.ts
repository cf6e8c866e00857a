/**
 * What scanners ask every website for, whatever it is made of: files with secrets, consoles, and the doors of software that is often
 * found unlocked. A path of one of these kinds is marked, so that it does not hide what real visitors miss. Addresses that a website
 * may well have had are not in the list: an old /index.php is what a redirect is for.
 */
const NOISE: RegExp[] = [
  // Files that hold secrets, wherever they lie: .env, .git, .aws, .ssh, .htpasswd, backups of a database.
  /\/\.(?:env|git|svn|hg|aws|ssh|docker|kube|vscode|idea|npmrc|htpasswd|htaccess|DS_Store)(?:$|[./_-])/i,
  /\/(?:id_rsa|id_dsa|id_ed25519|credentials(?:\.[a-z]+)?|secrets?\.(?:json|ya?ml|txt)|web\.config|configuration\.php)$/i,
  /\/wp-config\b/i,
  /\.(?:sql|bak|old|swp|tar|tgz|rar|7z)(?:\.(?:gz|zip|bz2))?$/i,
  // WordPress, where there is none: its login, its programming interface, its plugins.
  /\/(?:wp-login|xmlrpc|wp-cron|wp-signup|wlwmanifest|wp-trackback)\b/i,
  /\/wp-(?:admin|includes|json|content\/(?:plugins|themes))(?:\/|$)/i,
  // Consoles of databases and servers.
  /\/(?:phpmyadmin[^/]*|pma|myadmin|mysqladmin|dbadmin|(?:adminer|phpinfo)(?:-[\d.]+)?(?:\.php)?)(?:\/|$)/i,
  /\/(?:actuator|server-status|server-info|jmx-console|web-console|solr|jenkins|hudson|manager\/html|druid)(?:\/|$)/i,
  // Known holes.
  /\/(?:cgi-bin|vendor\/phpunit|boaform|HNAP1|GponForm|owa\/auth|autodiscover|_ignition|telescope|eval-stdin|(?:shell|alfa|c99|r57)\.php)(?:$|[./])/i,
  /\/(?:%5C|\.\.%|%2e%2e)|\$%7B|%3Cscript/i,
];

/** True for a canonical path that only scanners ask for. */
export function isScannerPath(path: string): boolean {
  return NOISE.some((form) => form.test(path));
}
