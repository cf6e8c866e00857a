import { Skeleton } from '../../ui/states.tsx';

/** Has the size of the report. */
export function ReportSkeleton() {
  return (
    <>
      <div class="tiles">
        {[1, 2, 3, 4].map((each) => (
          <div key={each} class="card">
            <Skeleton lines={2} height={22} />
          </div>
        ))}
      </div>
      <div class="card report-wait">
        <Skeleton lines={6} height={22} />
      </div>
    </>
  );
}
