/**
 * Main configurations of the other servers. FOLDER and PORT are replaced at the start, and ADMIN by another free port.
 * `FOLDER/rules` has the rules.
 */

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** `returned` has the condition and the target of a status. */
export function nginxMain(
  bucketSize: number,
  returned: (status: number) => [condition: string, target: string],
): string {
  const returns = [301, 302].map((status) => {
    const [condition, target] = returned(status);
    return `if (${condition}) { return ${status} ${target}; }`;
  });
  return `daemon off; pid FOLDER/pid; error_log FOLDER/error.log; worker_processes 1;
events { worker_connections 1024; }
http {
access_log off; keepalive_requests 100000000; map_hash_max_size 4194304; map_hash_bucket_size ${bucketSize};
${TEMPORARY.map((name) => `${name}_temp_path FOLDER/${name};`).join('\n')}
include FOLDER/rules;
server { listen 127.0.0.1:PORT; absolute_redirect off; ${returns.join(' ')} return 404; }
}
`;
}

/** More threads than connections: with fewer, Apache closes kept-alive connections. */
function apacheMain(server: string, directory: string): string {
  const modules = ['mpm_event', 'authz_core', 'rewrite'].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  return `ServerRoot FOLDER
ServerName localhost
${modules.join('\n')}
User www-data
Group www-data
PidFile FOLDER/pid
ErrorLog FOLDER/error.log
Listen 127.0.0.1:PORT
DocumentRoot FOLDER/root
ServerLimit 1
ThreadLimit 256
StartServers 1
ThreadsPerChild 256
MaxRequestWorkers 256
MaxKeepAliveRequests 0
${server}
<Directory FOLDER/root>
${directory}
Require all granted
</Directory>
`;
}

const dbmRule = (status: number): string =>
  `RewriteCond \${rules:%{REQUEST_URI}} ^${status}(.*)$\nRewriteRule ^ %1 [R=${status},L,NE]\n`;

export const APACHE_DBM = apacheMain(
  `RewriteEngine On\nRewriteMap rules dbm=sdbm:FOLDER/dbm\n${dbmRule(301)}${dbmRule(302)}`,
  '',
);

export const APACHE_EXPORT = apacheMain('', 'AllowOverride None\nInclude FOLDER/rules');

const haproxyRedirect = (status: number): string =>
  `  http-request redirect code ${status} location %[var(txn.rule),bytes(3)] if { var(txn.rule) -m beg ${status} }\n`;

export const HAPROXY = `global
  nbthread 1
  maxconn 1000
defaults
  mode http
  timeout client 60s
  timeout http-keep-alive 60s
frontend redirects
  bind 127.0.0.1:PORT
  http-request set-var(txn.rule) path,map_str(FOLDER/rules)
${haproxyRedirect(301)}${haproxyRedirect(302)}  http-request return status 404
`;

export const CADDY = `{
	admin 127.0.0.1:ADMIN
	auto_https off
	storage file_system FOLDER/data
}
http://:PORT {
	bind 127.0.0.1
	import FOLDER/rules
	respond 404
}
`;
