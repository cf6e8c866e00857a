/** The other servers, from their Debian packages: rules, configuration and commands. */
import { APACHE_DBM, APACHE_EXPORT, CADDY, HAPROXY, nginxMain } from './configurations.ts';
import { exported, nginxMaps, type RuleSet, statusMap, varnishRoutines } from './rule-files.ts';

/** In texts and commands, FOLDER, PORT, ADMIN, PID and GENERATION are replaced. */
export interface ServerSpec {
  name: string;
  program: string;
  /** Debian package */
  install: string;
  version: string;
  /** more rules take too long to load or to search */
  maxRules: number;
  write: (rules: RuleSet) => Generator<string>;
  main: string;
  /** run before the start, and before each reload */
  prepare?: string[];
  run: string;
  /** commands after which the changed file is served */
  reload: string[];
}

const NGINX_RUN = 'nginx -e FOLDER/error.log -p FOLDER -c FOLDER/main';
const nginx = {
  ...{ program: 'nginx', install: 'nginx', version: 'nginx -v', maxRules: Infinity },
  ...{ run: NGINX_RUN, reload: [`${NGINX_RUN} -s reload`] },
};

const APACHE_RUN = 'apache2 -f FOLDER/main';
const apache = {
  ...{ program: 'apache2', install: 'apache2', version: 'apache2 -v' },
  run: `${APACHE_RUN} -D FOREGROUND`,
};

export const SERVERS: ServerSpec[] = [
  {
    ...nginx,
    name: 'nginx, `map`',
    write: nginxMaps,
    main: nginxMain(256, (status) => [`$to_${status}`, `$to_${status}`]),
  },
  {
    ...nginx,
    name: 'nginx, export of Detour',
    write: (rules) => exported(rules, 'nginx'),
    main: nginxMain(16_384, (status) => [`$detour_status = ${status}`, '$detour_location']),
  },
  {
    name: 'HAProxy, `map`',
    ...{ program: 'haproxy', install: 'haproxy', version: 'haproxy -v', maxRules: Infinity },
    write: statusMap,
    main: HAPROXY,
    run: 'haproxy -W -db -f FOLDER/main',
    reload: ['kill -USR2 PID'],
  },
  {
    ...apache,
    name: 'Apache, `RewriteMap` (dbm)',
    maxRules: Infinity,
    write: statusMap,
    main: APACHE_DBM,
    // Builds the file beside the one in use. Apache sees a new one without a reload.
    prepare: [
      'httxt2dbm -f SDBM -i FOLDER/rules -o FOLDER/new',
      'mv FOLDER/new.pag FOLDER/dbm.pag',
      'mv FOLDER/new.dir FOLDER/dbm.dir',
    ],
    reload: [],
  },
  {
    ...apache,
    name: 'Apache, export of Detour',
    maxRules: 1_000,
    write: (rules) => exported(rules, 'apache'),
    main: APACHE_EXPORT,
    reload: [`${APACHE_RUN} -k graceful`],
  },
  {
    name: 'Caddy, export of Detour',
    ...{ program: 'caddy', install: 'caddy', version: 'caddy version', maxRules: 10_000 },
    write: (rules) => exported(rules, 'caddy'),
    main: CADDY,
    run: 'caddy run --adapter caddyfile --config FOLDER/main',
    reload: ['caddy reload --adapter caddyfile --address 127.0.0.1:ADMIN --config FOLDER/main'],
  },
  {
    name: 'Varnish, comparisons in VCL',
    ...{ program: 'varnishd', install: 'varnish', version: 'varnishd -V', maxRules: 5_000 },
    write: varnishRoutines,
    main: '',
    run: 'varnishd -F -j none -n FOLDER/var -f FOLDER/rules -a 127.0.0.1:PORT -s default,64m',
    reload: [
      'varnishadm -n FOLDER/var vcl.load rulesGENERATION FOLDER/rules',
      'varnishadm -n FOLDER/var vcl.use rulesGENERATION',
    ],
  },
];
