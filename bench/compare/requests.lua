-- Requests of wrk: a random rule each time, in the same order for each server. Prints one line of JSON.
local paths, count = {}, 0
local agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
local middle

function init(args)
  for path in io.lines(args[1]) do
    count = count + 1
    paths[count] = path
    if count == tonumber(args[2]) then break end
  end
  middle = " HTTP/1.1\r\nHost: " .. args[3] .. "\r\nUser-Agent: " .. agent .. "\r\nX-Forwarded-For: 20.7."
  math.randomseed(tonumber(args[4]))
end

-- 20,000 visitors.
function request()
  local visitor = math.random(0, 19999)
  local address = math.floor(visitor / 250) .. "." .. (visitor % 250)
  return "GET " .. paths[math.random(count)] .. middle .. address .. "\r\nAccept: text/html\r\n\r\n"
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\n{"requests":%d,"us":%d,"p50":%d,"p99":%d,"errors":%d}\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
