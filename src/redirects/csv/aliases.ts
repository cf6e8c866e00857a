import type { Meaning } from './meaning.ts';

// Names as other tools write them, after normalHeader. A name that stands for a field in one tool and for something
// else in another is decided in formats.ts by the company it keeps.
const NAMES: Partial<Record<Meaning, string>> = {
  old_path: `oldpath old oldurl source sourceurl sourcepath from fromurl frompath redirectfrom origin originalurl
    matchurl requestpath legacyurl path address shortcode`,
  new_path: `newpath new newurl target targeturl targetpath to tourl topath redirectto destination destinationurl
    redirecturl resultredirecturl location finaladdress longurl`,
  status_code: 'statuscode code httpcode httpstatus resultstatuscode redirecttype redirectcode',
  permanent: 'permanent',
  type: 'type',
  status: 'status',
  is_regex: 'isregex regex',
  match: 'format matching matchtype',
  group_id: 'groupid group category tag tags team',
  notes: 'notes note title description comment label rulename',
  target_environments: 'targetenvironments environments environment env',
  website_id: 'websiteid',
  enabled: 'enabled active',
  disabled: 'disabled',
  query: `query querymode preservequeryparams preservequerystring forwardquery useincomingquerystring
    resultuseincomingquerystring`,
  command: 'command',
  subpaths: 'subpathmatching',
  suffix: 'preservepathsuffix forwardpath',
  condition: 'includesubdomains',
  option: 'casesensitive',
  ignored: `id hits hitcount count lasthitat createdat updatedat domain storeid deployedtoprod deployedtostaging
    deployedtodev`,
};

const MEANINGS = new Map<string, Meaning>();
for (const [meaning, names] of Object.entries(NAMES)) {
  for (const name of names.split(/\s+/)) MEANINGS.set(name, meaning as Meaning);
}

/** The form in which headers are compared: no case, no spaces, `_`, `-` or `.`. */
export function normalHeader(header: string): string {
  return header.replace(/[\s\ufeff_.-]/g, '').toLowerCase();
}

/** What a header means whatever stands beside it. */
export function meaningOf(header: string): Meaning | undefined {
  return MEANINGS.get(normalHeader(header));
}
