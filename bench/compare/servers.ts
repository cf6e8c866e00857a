/** The other servers, from their Debian packages: their main configuration, rules and commands. */
import { exported, nginxMaps, type RuleSet, statusMap, varnishRoutines } from './rule-files.ts';

/** Places of a running server. */
export interface Place {
  folder: string;
  port: number;
  /** a second free port, for the administration of Caddy */
  admin: number;
}

export interface ServerSpec {
  name: string;
  program: string;
  /** Debian package */
  install: string;
  version: string[];
  /** more rules take too long to load or to search */
  maxRules: number;
  write: (rules: RuleSet) => Generator<string>;
  /** the main configuration; the rules are in `<folder>/rules` */
  main: (place: Place) => string;
  /** run before the start, and before each reload */
  prepare?: (place: Place) => string[][];
  run: (place: Place) => string[];
  /** commands after which the changed file is served */
  reload: (place: Place, generation: number) => string[][];
}

const nginx = (http: string, server: string) => ({
  program: 'nginx',
  install: 'nginx',
  version: ['nginx', '-v'],
  maxRules: Infinity,
  main: ({ folder, port }: Place) => `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
worker_processes 1;
events { worker_connections 1024; }
http {
access_log off; keepalive_requests 100000000; map_hash_max_size 4194304; ${http}
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
include ${folder}/rules;
server { listen 127.0.0.1:${port}; absolute_redirect off; ${server}
return 404; }
}
`,
  run: ({ folder }: Place) => ['nginx', '-e', `${folder}/error.log`, '-p', folder, '-c', `${folder}/main`],
  reload: ({ folder }: Place) => [
    ['nginx', '-e', `${folder}/error.log`, '-p', folder, '-c', `${folder}/main`, '-s', 'reload'],
  ],
});

const returns = (variable: (status: number) => [condition: string, target: string]): string =>
  [301, 302].map((status) => `if (${variable(status)[0]}) { return ${status} ${variable(status)[1]}; }`).join('\n');

const apache = (server: string, directory: string) => ({
  program: 'apache2',
  install: 'apache2',
  version: ['apache2', '-v'],
  main: ({ folder, port }: Place) => `ServerRoot ${folder}
ServerName localhost
${['mpm_event', 'authz_core', 'rewrite'].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data
Group www-data
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
DocumentRoot ${folder}/root
ServerLimit 1
ThreadLimit 256
StartServers 1
ThreadsPerChild 256
MaxRequestWorkers 256
MaxKeepAliveRequests 0
${server.replaceAll('FOLDER', folder)}
<Directory ${folder}/root>
${directory.replaceAll('FOLDER', folder)}
Require all granted
</Directory>
`,
  run: ({ folder }: Place) => ['apache2', '-f', `${folder}/main`, '-D', 'FOREGROUND'],
});

const dbmRule = (status: number): string =>
  `RewriteCond \${rules:%{REQUEST_URI}} ^${status}(.*)$\nRewriteRule ^ %1 [R=${status},L,NE]\n`;

/** Builds the file beside the one in use, then replaces it. */
const buildDbm = ({ folder }: Place): string[][] => [
  ['httxt2dbm', '-f', 'SDBM', '-i', `${folder}/rules`, '-o', `${folder}/new`],
  ['mv', `${folder}/new.pag`, `${folder}/dbm.pag`],
  ['mv', `${folder}/new.dir`, `${folder}/dbm.dir`],
];

export const SERVERS: ServerSpec[] = [
  {
    name: 'nginx, `map`',
    write: nginxMaps,
    ...nginx(
      'map_hash_bucket_size 256;',
      returns((status) => [`$to_${status}`, `$to_${status}`]),
    ),
  },
  {
    name: 'nginx, export of Detour',
    write: (rules) => exported(rules, 'nginx'),
    ...nginx(
      'map_hash_bucket_size 16384;',
      returns((status) => [`$detour_status = ${status}`, '$detour_location']),
    ),
  },
  {
    name: 'HAProxy, `map`',
    program: 'haproxy',
    install: 'haproxy',
    version: ['haproxy', '-v'],
    maxRules: Infinity,
    write: statusMap,
    main: ({ folder, port }) => `global
  nbthread 1
  maxconn 1000
  stats socket ${folder}/socket level admin
defaults
  mode http
  timeout client 60s
  timeout http-keep-alive 60s
frontend redirects
  bind 127.0.0.1:${port}
  http-request set-var(txn.rule) path,map_str(${folder}/rules)
  http-request redirect code 301 location %[var(txn.rule),bytes(3)] if { var(txn.rule) -m beg 301 }
  http-request redirect code 302 location %[var(txn.rule),bytes(3)] if { var(txn.rule) -m beg 302 }
  http-request return status 404
`,
    run: ({ folder }) => ['haproxy', '-W', '-db', '-f', `${folder}/main`],
    reload: () => [['kill', '-USR2', 'PID']],
  },
  {
    name: 'Apache, `RewriteMap` (dbm)',
    maxRules: Infinity,
    write: statusMap,
    prepare: buildDbm,
    reload: () => [],
    ...apache(`RewriteEngine On\nRewriteMap rules dbm=sdbm:FOLDER/dbm\n${dbmRule(301)}${dbmRule(302)}`, ''),
  },
  {
    name: 'Apache, export of Detour',
    maxRules: 1_000,
    write: (rules) => exported(rules, 'apache'),
    reload: ({ folder }) => [['apache2', '-f', `${folder}/main`, '-k', 'graceful']],
    ...apache('', 'AllowOverride None\nInclude FOLDER/rules'),
  },
  {
    name: 'Caddy, export of Detour',
    program: 'caddy',
    install: 'caddy',
    version: ['caddy', 'version'],
    maxRules: 10_000,
    write: (rules) => exported(rules, 'caddy'),
    main: ({ folder, port, admin }) => `{
	admin 127.0.0.1:${admin}
	auto_https off
	storage file_system ${folder}/data
}
http://:${port} {
	bind 127.0.0.1
	import ${folder}/rules
	respond 404
}
`,
    run: ({ folder }) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', `${folder}/main`],
    reload: ({ folder, admin }) => [
      [...'caddy reload --adapter caddyfile --address'.split(' '), `127.0.0.1:${admin}`, '--config', `${folder}/main`],
    ],
  },
  {
    name: 'Varnish, comparisons in VCL',
    program: 'varnishd',
    install: 'varnish',
    version: ['varnishd', '-V'],
    maxRules: 5_000,
    write: varnishRoutines,
    main: () => '',
    run: ({ folder, port }) => [
      ...`varnishd -F -j none -n ${folder}/var -f ${folder}/rules -a 127.0.0.1:${port}`.split(' '),
      ...['-s', 'default,64m'],
    ],
    reload: ({ folder }, generation) => [
      ['varnishadm', '-n', `${folder}/var`, 'vcl.load', `rules${generation}`, `${folder}/rules`],
      ['varnishadm', '-n', `${folder}/var`, 'vcl.use', `rules${generation}`],
    ],
  },
];
