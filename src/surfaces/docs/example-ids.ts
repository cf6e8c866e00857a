/** Ids in the examples, which are random in the service: a test puts the real ones in their place and back. */
export const EXAMPLE_IDS = {
  session: 'ses_3kQ9vXc2LrT7mWzB5nHdYa',
  apiKey: 'key_8RfJ2wNq4TzC6xLbVd0GsM',
  deployment: 'dep_5fJ2mQx8Kc0VtY7RnB3wHa',
  import: 'imp_0LtV6yWk3Qe9ZsXc1MdRpB',
  checkedFile: 'imp_7mVd2QkXr9Lw4TsZc0HbYn',
  event: '019aa6c4-9d2e-7cc1-8f4b-3e6a1d5c7b20',
  webhook: 'wh_7GhT1bYv5KqXz9RcNw2LsD',
} as const;
