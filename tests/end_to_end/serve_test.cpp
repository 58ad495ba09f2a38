// `lookalike serve` over sockets.

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/session/device.h"
#include "pipeline/device/open_session.h"
#include "storage/index_writer.h"
#include "tests/content_of.h"
#include "tests/end_to_end/json_schema.h"
#include "tests/end_to_end/run_program.h"
#include "tests/fixtures/drawing.h"
#include "tests/fixtures/image_files.h"
#include "tests/http_client.h"
#include "tests/kept_copy.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"
#include "tools/serve/listener.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kToken = "0123456789abcdef0123456789abcdef";

// A server over an index of a few posters.
class ServeTest : public testing::Test {
 protected:
  ServeTest() {
    if (!shared_) {
      shared_ = std::make_unique<TemporaryFolder>();
      make_index();
      kept_ = std::make_unique<KeptCopy>(*shared_);
      state_ = state_of_folder();
    } else if (state_of_folder() != state_) {
      kept_->put_back();
      index();
      state_ = state_of_folder();
    }
  }
  void TearDown() override { program_.reset(); }
  static void TearDownTestSuite() {
    shared_.reset();
    kept_.reset();
  }

  void make_index() const {
    fs::create_directories(at("posters"));
    for (std::uint64_t i = 0; i < 6; ++i) draw("posters/" + std::to_string(i) + ".jpg", i);
    fs::copy_file(at("posters/0.jpg"), at("posters/copy.jpg"));
    cv::Mat small;
    cv::resize(cv::imread(at("posters/1.jpg")), small, {}, 0.5, 0.5, cv::INTER_AREA);
    cv::imwrite(at("posters/small.jpg"), small);
    shared_->write("posters/broken.jpg", "not a picture");
    index();
    const Placement placement = {draw_poster(3, {300, 400}),
                                 {{{120, 70}, {420, 118}, {404, 500}, {96, 540}}}};
    cv::imwrite(at("photo.jpg"), draw_scene(std::span(&placement, 1), {640, 600}, 1));
    shared_->write("token", kToken + "\n");
    fs::permissions(at("token"), fs::perms::owner_read);
  }

  // Returns what tests may change: names, sizes and times of all but what a server leaves.
  static std::map<std::string, std::string> state_of_folder() {
    std::map<std::string, std::string> state;
    for (const auto& entry : fs::recursive_directory_iterator(shared_->path())) {
      const std::string name = entry.path().native();
      struct stat status {};
      ::lstat(name.c_str(), &status);
      const bool is_left = name.ends_with("/socket") || name.ends_with("-shm") ||
                           (name.ends_with("-wal") && status.st_size == 0);
      if (is_left) continue;
      const bool is_folder = S_ISDIR(status.st_mode);
      state[name] = fmt::format(
          "{} {} {} {}.{}", status.st_ino, status.st_mode, is_folder ? 0 : status.st_size,
          is_folder ? 0 : status.st_ctim.tv_sec, is_folder ? 0 : status.st_ctim.tv_nsec);
    }
    return state;
  }

  static std::string at(const std::string& name) { return (shared_->path() / name).native(); }
  void draw(const std::string& name, std::uint64_t poster) const {
    cv::imwrite(at(name), draw_poster(poster, {300, 400}));
  }
  void index() const {
    ASSERT_EQ(
        run_program("lookalike", {"index", "-q", at("posters"), "-d", at("index.db")}).exit_code,
        1);
  }

  // Starts it on a Unix socket.
  void start(std::vector<std::string> options = {},
             const std::vector<std::string>& environment = {}) {
    std::vector<std::string> words = {"serve", "-d", at("index.db"), "--listen",
                                      "unix:" + at("socket")};
    words.insert(words.end(), options.begin(), options.end());
    program_.reset();  // an earlier one leaves the address free
    program_ = std::make_unique<RunningProgram>("lookalike", words, environment);
    connect_ = [this] { return HttpConnection(at("socket")); };
    wait_for_start();
  }
  // Returns an environment with an empty cache, but for compiled kernels and tests of the device.
  static std::vector<std::string> cache_of_its_own() {
    std::error_code exists;
    fs::create_directories(at("cache/lookalike"));
    fs::copy(own_cache_folder("self-tests"), at("cache/lookalike/self-tests"), exists);
    return {"XDG_CACHE_HOME=" + at("cache"), "POCL_CACHE_DIR=" + pocl_cache_folder().native()};
  }
  // Listens on a free TCP port.
  void start_tcp(const std::vector<std::string>& options = {},
                 const std::string& address = "127.0.0.1") {
    const std::string url = Listener("127.0.0.1:0").url();
    const int port = std::stoi(url.substr(url.rfind(':') + 1));
    port_ = port;
    std::vector<std::string> words = {"serve", "-d", at("index.db"), "--listen",
                                      address + ":" + std::to_string(port)};
    words.insert(words.end(), options.begin(), options.end());
    program_.reset();  // an earlier one leaves the address free
    program_ = std::make_unique<RunningProgram>("lookalike", words);
    connect_ = [port] { return HttpConnection(port); };
    wait_for_start();
  }
  bool can_connect() const {
    try {
      connect_();
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  void wait_for_start() {
    ASSERT_TRUE(wait_until([&] { return can_connect() || !program_->is_running(); }));
    if (!program_->is_running()) FAIL() << program_->wait().err;
  }

  // Starts it on TCP, with actions, and sends the token with each request from now on.
  void start_acting(const std::string& move_to = {}) {
    std::vector<std::string> options = {"--token-file", at("token"), "--set",
                                        "serve.allow_actions=true"};
    if (!move_to.empty()) {
      options.insert(options.end(), {"--set", "serve.move_to=\"" + move_to + "\""});
    }
    start_tcp(options);
    usual_headers_ = {"Authorization: Bearer " + kToken};
  }

  HttpReply ask(const std::string& line, std::vector<std::string> headers = {},
                const std::string& body = "") const {
    headers.insert(headers.end(), usual_headers_.begin(), usual_headers_.end());
    const HttpConnection connection = connect_();
    connection.send(http_request(line, headers, body));
    return connection.reply();
  }
  json get(const std::string& path) const {
    const HttpReply reply = ask("GET " + path);
    EXPECT_EQ(reply.status, 200) << path << reply.body;
    return json::parse(reply.body);
  }
  json query(const std::string& parameters = "") const {
    const HttpReply reply = ask("POST /v1/query" + parameters, {}, content_of(at("photo.jpg")));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  json run(const std::vector<std::string>& words) const {
    return json::parse(run_program("lookalike", words).out);
  }
  std::uint64_t id_of(const std::string& name) const {
    return run({"show", "--json", "-d", at("index.db"), at(name)})["id"];
  }

  // A folder with an index, put back for a test behind one that has changed it.
  static inline std::unique_ptr<TemporaryFolder> shared_;
  static inline std::unique_ptr<KeptCopy> kept_;
  static inline std::map<std::string, std::string> state_;  // before the tests

  std::unique_ptr<RunningProgram> program_;
  int port_ = 0;
  std::vector<std::string> usual_headers_;
  std::function<HttpConnection()> connect_;
};

void expect_error(const HttpReply& reply, int status, const std::string& reason) {
  ASSERT_TRUE(json::accept(reply.body)) << reply.status << ", " << reply.body.size() << " bytes";
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(json::parse(reply.body)["error"]["reason"], reason) << reply.body;
}

TEST_F(ServeTest, AnswersAsItsDescriptionSays) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start_acting();
  const json api = get("/v1/openapi.json");
  const std::string link =
      json({{"action", "hardlink"},
            {"files", {{{"path", at("posters/copy.jpg")}, {"stays", at("posters/0.jpg")}}}}})
          .dump();
  const json linked = json::parse(ask("POST /v1/actions", {}, link).body);
  const std::string log = json({{"log", linked["log"]}}).dump();
  const auto faults_of = [&](const json& response, const HttpReply& reply) {
    const json& content =
        response.contains("$ref") ? api["components"]["responses"]["Error"] : response;
    const json& schema = content["content"]["application/json"]["schema"];
    return schema_faults(schema, json::parse(reply.body), api);
  };
  const std::string pair = R"({"a": 1, "b": 2})";
  const std::string photo = content_of(at("photo.jpg"));
  std::set<std::pair<std::string, std::string>> asked;
  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      const bool is_post = method == "post";
      std::string line = is_post ? "POST " : method == "get" ? "GET " : "DELETE ";
      line += path == "/v1/images/{id}"              ? "/v1/images/1"
              : path == "/v1/images/{id}/thumbnail"  ? "/v1/images/1/thumbnail"
              : path == "/v1/images/{id}/metadata"   ? "/v1/images/1/metadata"
              : path == "/v1/images/{id}/neighbours" ? "/v1/images/1/neighbours"
                                                     : path;
      if (path == "/v1/query" && !is_post) line += "?id=1";
      if (path == "/v1/explain") line += is_post ? "?id=1" : "?query=2&id=1";
      if (path == "/v1/folder") line += "?path=" + at("posters");
      if (method == "delete") line += "?a=1&b=2";
      const bool takes_photo =
          path == "/v1/query" || path == "/v1/explain" || path == "/v1/thumbnail";
      const std::string body = !is_post                ? ""
                               : takes_photo           ? photo
                               : path == "/v1/actions" ? link
                               : path == "/v1/undo"    ? log
                                                       : pair;
      const HttpReply reply = ask(line, {}, body);
      EXPECT_EQ(reply.status, 200) << line << reply.body;
      const json& documented = operation["responses"]["200"]["content"];
      EXPECT_TRUE(documented.contains(
          reply.headers.at("content-type").substr(0, reply.headers.at("content-type").find(';'))))
          << line;
      if (documented.contains("application/json")) {
        EXPECT_THAT(faults_of(operation["responses"]["200"], reply), IsEmpty()) << line;
      }
      const HttpReply wrong = ask(line + (line.find('?') == line.npos ? "?" : "&") + "colour=red",
                                  {}, is_post ? pair : "");
      expect_error(wrong, 400, "parameter");
      EXPECT_THAT(faults_of(operation["responses"]["default"], wrong), IsEmpty()) << line;
    }
  }
}

TEST_F(ServeTest, AnswersAreThoseOfTheCommands) {
  start();
  const auto matches_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"query", "--json", "-d", at("index.db")});
    return run(words)["matches"];
  };
  const std::string photo = at("photo.jpg");
  EXPECT_EQ(query()["matches"], matches_of({photo}));
  EXPECT_EQ(query()["matches"][0]["path"], at("posters/3.jpg"));
  EXPECT_EQ(query("?all=true&top=3")["matches"], matches_of({"--all", "--top", "3", photo}));
  EXPECT_EQ(query("?mirror=true")["matches"], matches_of({"--mirror", photo}));
  EXPECT_EQ(query("?region=60,40,400,540")["matches"],
            matches_of({"--region", "60,40,400,540", photo}));
  const std::string id = std::to_string(id_of("posters/1.jpg"));
  EXPECT_EQ(get("/v1/query?id=" + id)["matches"], matches_of({"--id", id}));
  const std::string alone = std::to_string(id_of("posters/4.jpg"));
  EXPECT_EQ(get("/v1/query?id=" + alone)["headline"], "no other image shows this");
  EXPECT_EQ(query()["headline"], "1 shows it");
  EXPECT_EQ(get("/v1/folders"), run({"folders", "--json", "-d", at("index.db")}));
  EXPECT_EQ(get("/v1/quarantine")["quarantine"],
            run({"quarantine", "--json", "-d", at("index.db")})["quarantine"]);
  EXPECT_EQ(get("/v1/runs")["runs"][0],
            run({"runs", "--json", "--last", "1", "-d", at("index.db")}));
  EXPECT_EQ(get("/v1/images/" + id), run({"show", "--json", "-d", at("index.db"), id}));
}

TEST_F(ServeTest, ExplainsAsTheCommandDoes) {
  start();
  const std::string photo = at("photo.jpg");
  const std::string id = std::to_string(id_of("posters/3.jpg"));
  const HttpReply reply = ask("POST /v1/explain?id=" + id, {}, content_of(photo));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json by_command = run({"explain", "--json", "-d", at("index.db"), photo, id});
  EXPECT_EQ(json::parse(reply.body)["steps"], by_command["steps"]);
  const std::string small = std::to_string(id_of("posters/small.jpg"));
  const std::string big = std::to_string(id_of("posters/1.jpg"));
  const json answer = get("/v1/explain?query=" + small + "&id=" + big);
  EXPECT_EQ(answer["query"], small);
  EXPECT_EQ(answer["decision"], "duplicate");
  expect_error(ask("GET /v1/explain?query=" + big + "&id=" + big), 400, "parameter");
  expect_error(ask("GET /v1/explain?query=999&id=" + big), 404, "not_indexed");
  expect_error(ask("POST /v1/explain?id=999", {}, content_of(photo)), 404, "not_indexed");
  expect_error(ask("POST /v1/explain?id=" + id, {}, "not a picture"), 422, "undecodable");
}

TEST_F(ServeTest, TellsTheStateOfTheIndex) {
  fs::create_directories(at("more"));
  draw("more/9.jpg", 9);
  run_program("lookalike",
              {"index", "-q", at("more"), "-d", at("index.db"), "--set", "graph.enabled=false"});
  EXPECT_EQ(run({"show", "--json", "-d", at("index.db")})["uncompared"], 1);
  start();
  const json state = get("/v1/index");
  EXPECT_EQ(state["name"], "index");
  EXPECT_EQ(state["images"], 8);
  EXPECT_EQ(state["files"], 9);
  EXPECT_EQ(state["folders"], 2);
  EXPECT_EQ(state["missing_folders"], 0);
  EXPECT_EQ(state["quarantined"], 1);
  EXPECT_EQ(state["withheld"], 0);
  EXPECT_EQ(state["uncompared"], 1);
  EXPECT_EQ(state["last_run"]["outcome"], "good");
  EXPECT_EQ(state["last_run"], get("/v1/runs?limit=1")["runs"][0]);
  fs::rename(at("more"), at("elsewhere"));
  EXPECT_EQ(get("/v1/index")["missing_folders"], 1);
}

TEST_F(ServeTest, FindsFilesByNameAndFolder) {
  fs::create_directories(at("posters/Übermäßige Reisen"));
  draw("posters/Übermäßige Reisen/Copy of 7.jpg", 7);
  draw("posters/Cafe\u0301.jpg", 8);  // as macOS writes it
  index();
  start();
  const auto found = [&](const std::string& parameters) {
    std::vector<std::string> names;
    const json page = get("/v1/images?" + parameters);
    for (const json& image : page["images"]) {
      names.push_back(fs::path(image["path"].get<std::string>()).filename());
    }
    EXPECT_GE(page["total"], names.size());
    EXPECT_EQ(page["unread_dates"], 0);
    return names;
  };
  const std::string trip = "%C3%9CBERM%C3%84SSIG";  // "ÜBERMÄSSIG"
  EXPECT_THAT(found("name=cop"), testing::ElementsAre("copy.jpg", "Copy of 7.jpg"));
  EXPECT_THAT(found("name=COPY&folder=" + at("posters") + "/%C3%9Cberm%C3%A4%C3%9Fige%20Reisen/"),
              testing::ElementsAre("Copy of 7.jpg"));
  EXPECT_THAT(found("name=" + trip), testing::ElementsAre("Copy of 7.jpg")) << "its folder counts";
  EXPECT_THAT(found("name=CAF%C3%89"), testing::ElementsAre("Cafe\u0301.jpg"));
  EXPECT_THAT(found("folder=" + trip), testing::ElementsAre("Copy of 7.jpg"));
  EXPECT_THAT(found("folder=REISEN/"), testing::ElementsAre("Copy of 7.jpg"));
  EXPECT_THAT(found("folder=copy"), IsEmpty()) << "no folder";
  EXPECT_THAT(found("folder=" + at("posters/trip")), IsEmpty()) << "an absolute path is whole";
  EXPECT_THAT(found("name=broken"), IsEmpty()) << "is not indexed";
  const json first = get("/v1/images?name=cop&limit=1");
  EXPECT_EQ(first["total"], 2);
  EXPECT_THAT(found("name=cop&limit=1&after=" + first["next"].dump()),
              testing::ElementsAre("Copy of 7.jpg"));
}

TEST_F(ServeTest, SuggestsFoldersAtAnyDepth) {
  fs::create_directories(at("posters/Summer/Lake/More"));
  draw("posters/Summer/Lake/7.jpg", 7);
  draw("posters/Summer/Lake/More/8.jpg", 8);
  index();
  start();
  const auto suggested = [&](const std::string& parameters) {
    std::vector<std::pair<std::string, int>> folders;
    const json answer = get("/v1/subfolders?" + parameters);
    for (const json& folder : answer["folders"]) {
      folders.emplace_back(fs::path(folder["path"].get<std::string>()).filename(), folder["files"]);
    }
    return folders;
  };
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(suggested("name=LAKE"), ElementsAre(Pair("Lake", 2), Pair("More", 1)))
      << "those named so first";
  EXPECT_THAT(suggested("name=more"), ElementsAre(Pair("More", 1)));
  EXPECT_THAT(suggested("name=summer&limit=1"), ElementsAre(Pair("Summer", 2)));
  EXPECT_THAT(suggested("limit=1"), ElementsAre(Pair("posters", 10)));
  EXPECT_THAT(suggested("name=winter"), IsEmpty());
}

TEST_F(ServeTest, SortsFilesByNameAndByWhenTheyWereTaken) {
  fs::create_directories(at("posters/a"));
  const auto date = [&](const std::string& file, const std::string& taken) {
    const std::string jpeg = content_of(at(file));
    shared_->write(file, jpeg.substr(0, 2) + exif_segment("Leica", "M10", taken) + jpeg.substr(2));
  };
  draw("posters/a/9.jpg", 9);
  date("posters/a/9.jpg", "2015:01:02 03:04:05");
  date("posters/2.jpg", "2019:07:14 23:59:59");
  index();
  start({}, cache_of_its_own());
  const auto names = [&](const std::string& parameters) {
    std::vector<std::string> found;
    const json page = get("/v1/images?" + parameters);
    for (const json& image : page["images"]) {
      found.push_back(fs::path(image["path"].get<std::string>()).filename());
    }
    return found;
  };
  using testing::ElementsAre;
  EXPECT_THAT(names("sort=oldest&limit=2"), ElementsAre("9.jpg", "2.jpg"));
  EXPECT_EQ(names("sort=newest").back(), "9.jpg");
  EXPECT_EQ(names("sort=name").back(), "small.jpg");
  EXPECT_EQ(names("sort=path").front(), "0.jpg");
  EXPECT_THAT(names("from=2015-01-01&to=2019-07-14&sort=newest"), ElementsAre("2.jpg", "9.jpg"));
  EXPECT_THAT(names("to=2019-07-13"), ElementsAre("9.jpg"));
  const json first = get("/v1/images?sort=oldest&limit=1");
  EXPECT_EQ(first["images"][0]["taken"], "2015-01-02T03:04:05");
  EXPECT_TRUE(get("/v1/images?name=3.jpg")["images"][0]["taken"].is_null());
  EXPECT_EQ(get("/v1/folder?path=" + at("posters/a"))["images"][0]["taken"], "2015-01-02T03:04:05");
  EXPECT_EQ(get("/v1/images?sort=oldest&limit=1&after=1")["images"][0]["taken"],
            "2019-07-14T23:59:59");
  expect_error(ask("GET /v1/images?sort=colour"), 400, "parameter");

  // They are kept for the next server, by path and time of modification.
  const fs::path kept = *fs::directory_iterator(at("cache") + "/lookalike/dates");
  std::string text = content_of(kept);
  EXPECT_THAT(text, AllOf(HasSubstr(" 20150102030405\n"), HasSubstr(" 0\n")));
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  program_->send(SIGTERM);
  program_->wait();
  const auto time = fs::last_write_time(at("posters/a/9.jpg"));
  draw("posters/a/9.jpg", 9);  // says no date
  fs::last_write_time(at("posters/a/9.jpg"), time);
  const auto oldest = [&] {
    start({}, cache_of_its_own());
    return names("sort=oldest").front();
  };
  EXPECT_EQ(oldest(), "9.jpg") << "it is not read again";
  program_->send(SIGTERM);
  program_->wait();
  text[text.find("2015")] = '1';
  std::ofstream(kept, std::ios::binary) << text;
  EXPECT_EQ(oldest(), "2.jpg") << "a damaged file is not believed";
}

TEST_F(ServeTest, TellsWhatIsWrittenIntoAFile) {
  const std::string jpeg = content_of(at("posters/2.jpg"));
  const std::string exif = exif_segment("Leica Camera AG", "LEICA M10", "2019:07:14 12:30:05");
  shared_->write("posters/2.jpg", jpeg.substr(0, 2) + exif + jpeg.substr(2));
  index();
  start();
  const std::string of = "/v1/images/" + std::to_string(id_of("posters/2.jpg")) + "/metadata";
  const json metadata = get(of);
  EXPECT_TRUE(metadata["is_complete"]);
  EXPECT_EQ(metadata["entries"], json::parse(R"([{"field": "taken", "text": "2019-07-14T12:30:05"},
                            {"field": "camera", "text": "LEICA M10"}])"));
  EXPECT_THAT(get("/v1/images/" + std::to_string(id_of("posters/3.jpg")) + "/metadata")["entries"],
              IsEmpty());
  shared_->write("posters/2.jpg", jpeg);
  expect_error(ask("GET " + of), 404, "gone");
}

TEST_F(ServeTest, SortsAndFiltersGroups) {
  // Groups by path: 0.jpg with its copy, 1.jpg with its smaller copy, and one with a large copy.
  fs::create_directories(at("posters/trips"));
  draw("posters/trips/7.png", 7);
  draw("posters/7.jpg", 7);
  index();
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start();
  const auto first_of = [&](const std::string& parameters) {
    const json groups = get("/v1/groups?" + parameters)["groups"];
    return groups.empty() ? 0 : groups[0]["group"].get<int>();
  };
  const json all = get("/v1/groups");
  ASSERT_EQ(all["total"], 3) << all.dump();
  EXPECT_EQ(all["files"], 6);
  EXPECT_EQ(all["needless"], 3);
  std::uint64_t bytes = 0;
  std::uint64_t most = 0;
  int best = 0;
  for (const json& group : all["groups"]) {
    for (const json& file : group["files"]) {
      if (file["proposal"] != "go") continue;
      const auto size = file["size_bytes"].get<std::uint64_t>();
      bytes += size;
      if (size > most) {
        most = size;
        best = group["group"];
      }
    }
  }
  EXPECT_EQ(all["needless_bytes"], bytes);
  EXPECT_EQ(first_of("sort=savings"), best);
  EXPECT_EQ(first_of("sort=size"), all["groups"][2]["group"]) << "a PNG file is the largest";
  EXPECT_EQ(first_of("kind=exact"), 1);
  const json exact = get("/v1/groups?kind=exact");
  EXPECT_EQ(exact["total"], 1);
  EXPECT_EQ(exact["needless"], 1);
  EXPECT_EQ(get("/v1/groups?kind=exact,copy")["total"], 3);
  EXPECT_EQ(first_of("folder=" + at("posters/trips")), 3);
  EXPECT_EQ(first_of("folder=TRIP"), 3) << "a part of its path";
  EXPECT_EQ(get("/v1/groups?folder=nowhere")["total"], 0);
  EXPECT_EQ(get("/v1/groups?kind=exact&folder=" + at("posters/trips"))["total"], 0);
  expect_error(ask("GET /v1/groups?kind=object"), 400, "parameter");
  expect_error(ask("GET /v1/groups?sort=colour"), 400, "parameter");
}

TEST_F(ServeTest, MovesFilesOfGroupsAndPutsThemBack) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start_acting(at("away"));
  EXPECT_EQ(get("/v1/index")["actions"], json({"move", "hardlink"}));
  const auto act = [&](const std::string& action, const std::string& file,
                       const std::string& stays) {
    const HttpReply reply = ask(
        "POST /v1/actions", {},
        json({{"action", action}, {"files", {{{"path", at(file)}, {"stays", at(stays)}}}}}).dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  };
  const std::string before = content_of(at("posters/small.jpg"));
  const json moved = act("move", "posters/small.jpg", "posters/1.jpg");
  EXPECT_EQ(moved["done"], json({at("posters/small.jpg")})) << moved;
  EXPECT_FALSE(fs::exists(at("posters/small.jpg")));
  EXPECT_EQ(content_of(at("away/small.jpg")), before);
  EXPECT_TRUE(wait_until([&] { return get("/v1/groups")["total"] == 1; })) << "it left the index";
  const json actions = get("/v1/actions")["actions"];
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0]["log"], moved["log"]);
  EXPECT_EQ(actions[0]["standing"], 1);
  const json back =
      json::parse(ask("POST /v1/undo", {}, json({{"log", moved["log"]}}).dump()).body);
  EXPECT_EQ(back["done"], moved["done"]);
  EXPECT_EQ(content_of(at("posters/small.jpg")), before);
  EXPECT_EQ(get("/v1/actions")["actions"][0]["standing"], 0);

  const json linked = act("hardlink", "posters/copy.jpg", "posters/0.jpg");
  EXPECT_EQ(linked["done"].size(), 1U) << linked;
  EXPECT_EQ(fs::hard_link_count(at("posters/0.jpg")), 2U);
  ask("POST /v1/undo", {}, json({{"log", linked["log"]}}).dump());
  EXPECT_EQ(fs::hard_link_count(at("posters/0.jpg")), 1U);
}

TEST_F(ServeTest, TellsLogsOfOneNameApart) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start_acting(at("away"));
  const auto act = [&](const std::string& action, const std::string& file,
                       const std::string& stays) {
    return json::parse(
        ask("POST /v1/actions", {},
            json({{"action", action}, {"files", {{{"path", at(file)}, {"stays", at(stays)}}}}})
                .dump())
            .body);
  };
  const auto any_time = fs::last_write_time(at("token"));
  // Renames a log, and says when it was written.
  const auto rename = [&](const json& report, const std::string& name, int seconds) {
    fs::rename(report["log"].get<std::string>(), at(name));
    fs::last_write_time(at(name), any_time + std::chrono::seconds(seconds));
  };
  rename(act("move", "posters/small.jpg", "posters/1.jpg"), "away/lookalike-1.log", 3);
  rename(act("hardlink", "posters/copy.jpg", "posters/0.jpg"), "lookalike-1.log", 2);
  fs::copy_file(at("lookalike-1.log"), at("lookalike-1.2.log"));
  fs::last_write_time(at("lookalike-1.2.log"), any_time + 4s);
  const json actions = get("/v1/actions")["actions"];
  json listed = json::array();
  for (const json& action : actions) listed.push_back(action["log"]);
  EXPECT_EQ(listed,
            json({at("lookalike-1.2.log"), at("away/lookalike-1.log"), at("lookalike-1.log")}))
      << "the latest first";
  ask("POST /v1/undo", {}, json({{"log", at("away/lookalike-1.log")}}).dump());
  EXPECT_TRUE(fs::exists(at("posters/small.jpg")));
  EXPECT_EQ(fs::hard_link_count(at("posters/0.jpg")), 2U) << "another action";
  ask("POST /v1/undo", {}, json({{"log", at("lookalike-1.log")}}).dump());
  EXPECT_EQ(fs::hard_link_count(at("posters/0.jpg")), 1U);
}

TEST_F(ServeTest, PassesOverWhatOnlyHasTheNameOfALog) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start_acting(at("away"));
  const json body = {
      {"action", "move"},
      {"files", {{{"path", at("posters/small.jpg")}, {"stays", at("posters/1.jpg")}}}}};
  const json moved = json::parse(ask("POST /v1/actions", {}, body.dump()).body);
  ASSERT_EQ(::mkfifo(at("away/lookalike-fifo.log").c_str(), 0600), 0);
  fs::create_directory(at("away/lookalike-folder.log"));
  fs::create_symlink("/dev/zero", at("away/lookalike-device.log"));
  fs::create_symlink(moved["log"].get<std::string>(), at("away/lookalike-link.log"));
  for (int i = 0; i < 110; ++i) {
    const std::string name = at("away/lookalike-" + std::to_string(i) + ".log");
    std::ofstream(name).flush();
    fs::resize_file(name, std::uintmax_t{200} << 20U);  // sparse
  }
  const json actions = get("/v1/actions")["actions"];
  ASSERT_EQ(actions.size(), 1U) << actions;
  EXPECT_EQ(actions[0]["log"], moved["log"]) << "however many files came later";
  expect_error(ask("POST /v1/undo", {}, json({{"log", at("away/lookalike-7.log")}}).dump()), 400,
               "parameter");
}

// Each start of this reader takes a second to fail.
TEST_F(ServeTest, StartsADeadReaderOnceInAWhile) {
  const std::string program =
      install_with(*shared_ / "installed", "lookalike-reader",
                   "echo start >> '" + at("starts") + "'; sleep 1; exit 127");
  program_ = std::make_unique<RunningProgram>(
      program,
      std::vector<std::string>{"serve", "-d", at("index.db"), "--listen", "unix:" + at("socket")});
  connect_ = [this] { return HttpConnection(at("socket")); };
  wait_for_start();
  cv::imwrite(at("photo.bmp"), draw_poster(1, {300, 400}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask("POST /v1/query", {}, content_of(at("photo.bmp"))).status, 500);
  }
  EXPECT_EQ(content_of(at("starts")), "start\n");
}

TEST_F(ServeTest, RefusesJsonThatWouldTakeTooMuch) {
  start_acting(at("away"));
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() < std::size_t{4} << 20U) all += text;
    return all;
  };
  for (const char* line : {"POST /v1/actions", "POST /v1/undo", "POST /v1/rejections"}) {
    for (const std::string& body :
         {repeated("["), repeated("{\"a\":"), R"({"log":)" + repeated("["),
          R"({"action":"move","files":[)" + repeated("{},") + "{}]}", repeated("[]\n"),
          R"({"log":")" + repeated("a") + "\"}"}) {
      const auto begin = Clock::now();
      expect_error(ask(line, {}, body), 400, "body");
      EXPECT_LT(Clock::now() - begin, 10s) << line << ' ' << body.substr(0, 40);
    }
  }
}

TEST_F(ServeTest, LeavesFilesThatMustNotGo) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start_acting(at("away"));
  const auto left = [&](const json& files, const std::string& action = "move") {
    const HttpReply reply =
        ask("POST /v1/actions", {}, json({{"action", action}, {"files", files}}).dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body)["left"].dump();
  };
  const auto one = [&](const std::string& file, const std::string& stays) {
    return json({{"path", at(file)}, {"stays", at(stays)}});
  };
  EXPECT_THAT(left(json::array({one("posters/1.jpg", "posters/0.jpg")})),
              HasSubstr("is in no group with"));
  EXPECT_THAT(left(json::array({one("token", "posters/0.jpg")})), HasSubstr("is in no group with"));
  EXPECT_THAT(left(json::array({one("posters/1.jpg", "posters/1.jpg")})),
              HasSubstr("is in no group with"));
  EXPECT_THAT(left(json::array({one("posters/1.jpg", "posters/small.jpg"),
                                one("posters/small.jpg", "posters/1.jpg")})),
              HasSubstr("another file goes for it"));
  EXPECT_THAT(left(json::array({one("posters/small.jpg", "posters/1.jpg")}), "hardlink"),
              HasSubstr("no exact copy"));
  shared_->write("posters/copy.jpg", "written since");
  EXPECT_THAT(left(json::array({one("posters/copy.jpg", "posters/0.jpg")})), HasSubstr("changed"));
  EXPECT_EQ(content_of(at("posters/copy.jpg")), "written since");
  for (const char* name : {"0.jpg", "1.jpg", "small.jpg"}) {
    EXPECT_TRUE(fs::exists(at("posters/") + name));
  }
  expect_error(ask("POST /v1/undo", {}, R"({"log": "../index.db"})"), 404, "no_log");
  expect_error(ask("POST /v1/undo", {}, json({{"log", at("index.db")}}).dump()), 404, "no_log");
  expect_error(ask("POST /v1/actions", {}, R"({"action": "delete", "files": []})"), 400, "body");
  expect_error(ask("POST /v1/actions", {}, R"({"action": "move", "files": [1]})"), 400, "body");
  expect_error(ask("POST /v1/actions", {}, "[]"), 400, "body");
}

TEST_F(ServeTest, ActsOnFilesOnlyIfAllowedAndWithAToken) {
  const std::string body = R"({"action": "hardlink", "files": []})";
  start();
  expect_error(ask("POST /v1/actions", {}, body), 403, "actions");
  expect_error(ask("GET /v1/actions"), 403, "actions");
  expect_error(ask("POST /v1/undo", {}, R"({"log": "a"})"), 403, "actions");
  EXPECT_EQ(get("/v1/index")["actions"], json::array());
  start({"--set", "serve.allow_actions=true"});
  const HttpReply unix_socket = ask("POST /v1/actions", {}, body);
  expect_error(unix_socket, 403, "actions");
  EXPECT_THAT(unix_socket.body, HasSubstr("without a token"));
  start_acting();
  expect_error(ask("POST /v1/actions", {}, R"({"action": "move", "files": []})"), 403, "actions");
  usual_headers_.clear();
  expect_error(ask("POST /v1/actions", {}, body), 401, "token");
  const ProgramResult refused =
      run_program("lookalike", {"serve", "-q", "-d", at("index.db"), "--listen", "127.0.0.1:0",
                                "--set", "serve.allow_actions=true", "--set",
                                "serve.move_to=\"" + at("posters/x") + "\""});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("serve.move_to: " + at("posters/x") + ": lies in"));
}

TEST_F(ServeTest, ListsTheNeighboursOfAnImage) {
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  start();
  const json neighbours =
      get("/v1/images/" + std::to_string(id_of("posters/1.jpg")) + "/neighbours")["neighbours"];
  ASSERT_EQ(neighbours.size(), 1U) << neighbours;
  EXPECT_EQ(neighbours[0]["path"], at("posters/small.jpg"));
  EXPECT_EQ(neighbours[0]["kind"], "copy");
  EXPECT_EQ(
      get("/v1/images/" + std::to_string(id_of("posters/2.jpg")) + "/neighbours")["neighbours"],
      json::array());
}

TEST_F(ServeTest, FiltersFilesByDate) {
  const auto day = [&](const std::string& file, int days) {
    fs::last_write_time(at(file), fs::last_write_time(at(file)) - 24h * days);
  };
  day("posters/2.jpg", 400);
  index();
  start();
  const auto total = [&](const std::string& parameters) {
    return get("/v1/images?" + parameters)["total"].get<int>();
  };
  const int all = total("name=jpg");
  const auto today = [](int earlier) {
    const std::time_t time = std::time(nullptr) - std::time_t{86400} * earlier;
    std::tm date{};
    ::localtime_r(&time, &date);
    std::array<char, 16> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &date);
    return std::string(text.data());
  };
  EXPECT_EQ(total("from=" + today(1)), all - 1);
  EXPECT_EQ(total("to=" + today(200)), 1);
  EXPECT_EQ(total("from=" + today(500) + "&to=" + today(300)), 1);
  EXPECT_EQ(total("from=" + today(500) + "&to=" + today(0)), all);
  EXPECT_EQ(total("from=0000-01-01&to=9999-12-31"), all) << "beyond what 64 bits hold";
  EXPECT_EQ(total("from=2999-01-01"), 0);
  EXPECT_EQ(total("to=1600-02-29"), 0);
  for (const char* date :
       {"yesterday", "2020-01-01x", "2026-02-29", "2026-04-31", "2026-13-01", "2026-00-01",
        "2026-01-00", "2026-1-1", "%202026-01-01", "26-01-01", "+026-01-01", "12026-01-01", ""}) {
    expect_error(ask(std::string("GET /v1/images?from=") + date), 400, "parameter");
    expect_error(ask(std::string("GET /v1/images?to=") + date), 400, "parameter");
  }
}

TEST_F(ServeTest, SaysWhenAndByWhatAPictureWasTaken) {
  const std::string jpeg = content_of(at("posters/2.jpg"));
  const std::string exif = exif_segment("Leica Camera AG", "LEICA M10", "2019:07:14 12:30:05");
  shared_->write("posters/2.jpg", jpeg.substr(0, 2) + exif + jpeg.substr(2));
  index();
  start();
  const json image = get("/v1/images/" + std::to_string(id_of("posters/2.jpg")));
  EXPECT_EQ(image["taken"], "2019-07-14T12:30:05");
  EXPECT_EQ(image["camera"], "LEICA M10");
  const json answer = json::parse(ask("POST /v1/query", {}, content_of(at("posters/2.jpg"))).body);
  EXPECT_EQ(answer["matches"][0]["taken"], image["taken"]);
  EXPECT_TRUE(get("/v1/images/" + std::to_string(id_of("posters/3.jpg")))["camera"].is_null());
}

TEST_F(ServeTest, KeepsThumbnailsByContent) {
  start({}, cache_of_its_own());
  const std::string line =
      "GET /v1/images/" + std::to_string(id_of("posters/2.jpg")) + "/thumbnail";
  const std::string made = ask(line).body;
  const fs::path folder = fs::path(at("cache")) / "lookalike/thumbnails";
  const auto files = [&] {
    return std::vector<fs::directory_entry>(fs::directory_iterator(folder), {});
  };
  ASSERT_EQ(files().size(), 1U);
  const std::string cached = content_of(files()[0].path());
  EXPECT_THAT(cached, testing::EndsWith(made));
  EXPECT_EQ(ask(line).body, made);
  // A damaged one is made again.
  std::ofstream(files()[0].path(), std::ios::binary) << cached.substr(0, cached.size() - 9);
  EXPECT_EQ(ask(line).body, made);
  EXPECT_EQ(content_of(files()[0].path()), cached);
  // A browser's copy is good as long as the number stands for that image.
  const HttpReply reply = ask(line);
  EXPECT_EQ(reply.headers.at("cache-control"), "private, no-cache");
  const HttpReply same = ask(line, {"If-None-Match: \"a\", " + reply.headers.at("etag")});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.headers.count("content-length"), 0U);
  EXPECT_EQ(same.headers.at("etag"), reply.headers.at("etag"));
  const std::string other =
      "GET /v1/images/" + std::to_string(id_of("posters/3.jpg")) + "/thumbnail";
  EXPECT_EQ(ask(other, {"If-None-Match: " + reply.headers.at("etag")}).status, 200);
  // It is not shown in place of another file.
  shared_->write("posters/2.jpg", "written since");
  expect_error(ask(line, {"If-None-Match: " + reply.headers.at("etag")}), 404, "gone");
}

TEST_F(ServeTest, LooksAPartOfAnIndexedImageUp) {
  // A scene with poster 3, which is indexed as well.
  fs::copy_file(at("photo.jpg"), at("posters/scene.jpg"));
  index();
  start();
  const std::string id = std::to_string(id_of("posters/scene.jpg"));
  const json answer = get("/v1/query?region=60,40,400,540&id=" + id);
  const json photo = query("?region=60,40,400,540");
  ASSERT_EQ(photo["matches"].size(), 2U);
  ASSERT_EQ(answer["matches"].size(), 1U) << "without the image itself";
  EXPECT_EQ(answer["matches"][0]["path"], at("posters/3.jpg"));
  EXPECT_EQ(answer["query"], id);
  // In px of the whole image.
  for (int corner = 0; corner < 4; ++corner) {
    const json quad = answer["matches"][0]["quad"];
    const std::vector<std::pair<double, double>> places = {
        {120, 70}, {420, 118}, {404, 500}, {96, 540}};
    EXPECT_NEAR(quad[corner][0], places[corner].first, 5);
    EXPECT_NEAR(quad[corner][1], places[corner].second, 5);
  }
  expect_error(ask("GET /v1/query?region=600,0,100,100&id=" + id), 400, "parameter");
  expect_error(ask("GET /v1/query?region=1&id=" + id), 400, "parameter");
  fs::remove(at("posters/scene.jpg"));
  expect_error(ask("GET /v1/query?region=60,40,400,540&id=" + id), 404, "gone");
}

TEST_F(ServeTest, TakesAFormAsWell) {
  start();
  const std::string body =
      "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n"
      "\r\n" +
      content_of(at("photo.jpg")) + "\r\n--xyz--\r\n";
  const HttpReply reply =
      ask("POST /v1/query", {"Content-Type: multipart/form-data; boundary=xyz"}, body);
  EXPECT_EQ(json::parse(reply.body)["matches"], query()["matches"]);
}

TEST_F(ServeTest, ListsImagesPageByPage) {
  start();
  std::set<std::uint64_t> ids;
  std::string after = "0";
  while (true) {
    const json page = get("/v1/images?limit=3&after=" + after);
    EXPECT_LE(page["images"].size(), 3U);
    for (const json& image : page["images"])
      EXPECT_TRUE(ids.insert(image["id"].get<std::uint64_t>()).second);
    if (page["next"].is_null()) break;
    after = page["next"].dump();
  }
  EXPECT_EQ(ids.size(), 7U);
}

TEST_F(ServeTest, ListsAFolderWithItsFolders) {
  fs::create_directories(at("posters/trips/2020/a & b=c"));
  draw("posters/trips/2020/x.jpg", 60);
  draw("posters/trips/2020/a & b=c/y.jpg", 61);
  draw("posters/trips/z.jpg", 62);
  index();
  start();
  const auto names = [](const json& entries) {
    std::vector<std::string> found;
    for (const json& entry : entries) {
      found.push_back(fs::path(entry["path"].get<std::string>()).filename());
    }
    return found;
  };
  const auto page = [&](const std::string& after) {
    return get("/v1/folder?limit=5&path=" + at("posters") + "&after=" + after);
  };
  const json top = page("");
  EXPECT_EQ(top["files"], 11);
  EXPECT_THAT(top["ancestors"], IsEmpty());
  EXPECT_EQ(top["folders"],
            json::parse(R"([{"path": ")" + at("posters/trips") + R"(", "files": 3}])"));
  EXPECT_THAT(names(top["images"]), testing::ElementsAre("0.jpg", "1.jpg", "2.jpg", "3.jpg"))
      << "the folder is one of five";
  const json rest = page(top["next"]);
  EXPECT_THAT(names(rest["images"]),
              testing::ElementsAre("4.jpg", "5.jpg", "copy.jpg", "small.jpg"));
  EXPECT_TRUE(rest["next"].is_null());
  EXPECT_THAT(rest["folders"], IsEmpty()) << "they were on the first page";
  const json copy = rest["images"][2];
  EXPECT_EQ(copy["id"], top["images"][0]["id"]) << "one image, with the path of this file";
  const json deep = get("/v1/folder?path=" + at("posters/trips/2020/a%20%26%20b%3Dc/"));
  EXPECT_EQ(deep["path"], at("posters/trips/2020/a & b=c"));
  EXPECT_EQ(deep["ancestors"],
            json({at("posters"), at("posters/trips"), at("posters/trips/2020")}));
  EXPECT_THAT(names(deep["images"]), testing::ElementsAre("y.jpg"));
  // The answer comes from the index, not from the disk.
  for (const std::string& other : {std::string("/etc"), at("posters/trips/.."), at("posters/tr"),
                                   std::string("posters"), at("posters/0.jpg")}) {
    expect_error(ask("GET /v1/folder?path=" + other), 404, "not_indexed");
  }
  expect_error(ask("GET /v1/folder?path=file://elsewhere/a"), 400, "parameter");
}

TEST_F(ServeTest, ListsTheFoldersOfAFolderPageByPage) {
  for (const char* name : {"a", "b", "c", "d"}) {
    fs::create_directories(at("posters/trips") + "/" + name);
    draw(std::string("posters/trips/") + name + "/x.jpg", 60);
  }
  draw("posters/trips/y.jpg", 61);
  index();
  start();
  std::vector<std::string> found;
  std::vector<std::size_t> sizes;
  std::string after;
  while (true) {
    const json page = get("/v1/folder?limit=2&path=" + at("posters/trips") + "&after=" + after);
    for (const char* kind : {"folders", "images"}) {
      for (const json& entry : page[kind]) {
        found.push_back(fs::path(entry["path"].get<std::string>()).filename());
      }
    }
    sizes.push_back(page["folders"].size() + page["images"].size());
    if (page["next"].is_null()) break;
    after = page["next"];
  }
  EXPECT_THAT(found, testing::ElementsAre("a", "b", "c", "d", "y.jpg"));
  EXPECT_THAT(sizes, testing::ElementsAre(2, 2, 1));
}

TEST_F(ServeTest, ListsRejectionsWhichCanBeTakenBack) {
  start();
  EXPECT_EQ(get("/v1/rejections")["total"], 0);
  const std::string a = std::to_string(id_of("posters/1.jpg"));
  const std::string b = std::to_string(id_of("posters/small.jpg"));
  const std::string c = std::to_string(id_of("posters/2.jpg"));
  ask("POST /v1/rejections", {}, R"({"a": )" + a + R"(, "b": )" + b + "}");
  ask("POST /v1/rejections", {}, R"({"a": )" + a + R"(, "b": )" + c + "}");
  const json first = get("/v1/rejections?limit=1");
  EXPECT_EQ(first["total"], 2);
  EXPECT_EQ(first["next"], 1);
  EXPECT_THAT(first.dump(), HasSubstr("2.jpg")) << "the latest first";
  const json second = get("/v1/rejections?limit=1&after=1");
  EXPECT_TRUE(second["next"].is_null());
  const json pair = second["rejections"][0];
  EXPECT_THAT(output_faults("reject", pair.dump()), IsEmpty());
  EXPECT_THAT(
      output_faults("reject",
                    run_program("lookalike", {"reject", "--json", "-d", at("index.db")}).out),
      IsEmpty());
  EXPECT_THAT(pair.dump(), AllOf(HasSubstr("1.jpg"), HasSubstr("small.jpg")));
  EXPECT_THAT((std::set<std::string>{pair["id"].dump(), pair["other_id"].dump()}),
              testing::ElementsAre(std::min(a, b), std::max(a, b)));
  // By content, including images that the index no longer has.
  fs::remove(at("posters/small.jpg"));
  ASSERT_EQ(
      run_program("lookalike", {"remove", "-q", "-d", at("index.db"), at("posters/small.jpg")})
          .exit_code,
      0);
  const auto is_gone = [&] {
    const json known = get("/v1/rejections?after=1")["rejections"][0];
    return known["path"].is_null() || known["other_path"].is_null();
  };
  ASSERT_TRUE(wait_until(is_gone));
  const std::string contents =
      "a=" + pair["content"].get<std::string>() + "&b=" + pair["other_content"].get<std::string>();
  const json answer = json::parse(ask("DELETE /v1/rejections?" + contents).body);
  EXPECT_EQ(answer["changed"], true);
  EXPECT_TRUE(answer["a"].is_null() != answer["b"].is_null());
  EXPECT_EQ(get("/v1/rejections")["total"], 1);
  expect_error(ask("POST /v1/rejections", {},
                   json({{"a", pair["content"]}, {"b", pair["other_content"]}}).dump()),
               404, "not_indexed");
  const json indexed = get("/v1/rejections")["rejections"][0];
  const json again =
      json::parse(ask("POST /v1/rejections", {},
                      json({{"a", indexed["content"]}, {"b", indexed["other_content"]}}).dump())
                      .body);
  EXPECT_EQ(again["changed"], false) << "images by their content";
}

TEST_F(ServeTest, ARejectedMatchOfAPhotoCanBeTakenBack) {
  start();
  const std::string a = std::to_string(id_of("posters/1.jpg"));
  const std::string b = std::to_string(id_of("posters/small.jpg"));
  ask("POST /v1/rejections", {}, R"({"a": )" + a + R"(, "b": )" + b + "}");
  const json answer = json::parse(ask("POST /v1/query", {}, content_of(at("posters/1.jpg"))).body);
  EXPECT_EQ(answer["content"], get("/v1/query?id=" + a)["content"]);
  EXPECT_EQ(
      ask("DELETE /v1/rejections?a=" + answer["content"].get<std::string>() + "&b=" + b).status,
      200);
  EXPECT_EQ(get("/v1/rejections")["total"], 0);
}

TEST_F(ServeTest, SaysWhyARejectionCannotBeSaved) {
  start();
  fs::create_directory(at("index.db.rejected"));  // cannot be written, not even by root
  const HttpReply reply = ask("POST /v1/rejections", {}, R"({"a": 1, "b": 2})");
  expect_error(reply, 507, "not_written");
  EXPECT_EQ(json::parse(reply.body)["error"]["kind"], "storage");
  EXPECT_THAT(reply.body, HasSubstr("index.db.rejected: cannot be written: Is a directory"));
}

TEST_F(ServeTest, ListsTheQuarantinePageByPage) {
  shared_->write("posters/also broken.jpg", "not a picture either");
  index();
  start();
  const json first = get("/v1/quarantine?limit=1");
  EXPECT_EQ(first["total"], 2);
  EXPECT_EQ(first["next"], 1);
  const json second = get("/v1/quarantine?limit=1&after=1");
  EXPECT_TRUE(second["next"].is_null());
  EXPECT_EQ(first["quarantine"][0]["path"], at("posters/also broken.jpg"));
  EXPECT_EQ(second["quarantine"][0]["path"], at("posters/broken.jpg"));
  EXPECT_TRUE(get("/v1/quarantine?after=9")["quarantine"].empty());
}

TEST_F(ServeTest, MarksRejectedMatches) {
  start();
  const auto rejected_of = [](const json& answer) {
    std::set<std::string> paths;
    for (const json& match : answer["matches"]) {
      if (match["rejected"]) paths.insert(fs::path(match["path"].get<std::string>()).filename());
    }
    return paths;
  };
  const std::string a = std::to_string(id_of("posters/1.jpg"));
  const std::string b = std::to_string(id_of("posters/small.jpg"));
  const std::string photo = content_of(at("posters/1.jpg"));
  const auto by_photo = [&] { return json::parse(ask("POST /v1/query", {}, photo).body); };
  EXPECT_THAT(rejected_of(by_photo()), IsEmpty());
  ask("POST /v1/rejections", {}, R"({"a": )" + a + R"(, "b": )" + b + "}");
  const testing::Matcher<std::set<std::string>> one = testing::ElementsAre("small.jpg");
  EXPECT_THAT(rejected_of(by_photo()), one);
  EXPECT_THAT(rejected_of(get("/v1/query?id=" + a)), one);
  EXPECT_THAT(rejected_of(run({"query", "--json", "-d", at("index.db"), at("posters/1.jpg")})),
              one);
  EXPECT_THAT(rejected_of(run({"query", "--json", "-d", at("index.db"), "--id", a})), one);
  EXPECT_THAT(
      run_program("lookalike", {"query", "--unfold", "-d", at("index.db"), at("posters/1.jpg")})
          .out,
      HasSubstr("small.jpg  (rejected)"));
}

TEST_F(ServeTest, ReadsRejectionsAgainWhenAnotherProgramHasWrittenThem) {
  start();
  const auto rejected = [&](const HttpReply& reply) {
    const json matches = json::parse(reply.body)["matches"];
    return std::ranges::count_if(matches, [](const json& match) { return match["rejected"]; });
  };
  const std::string line = "GET /v1/query?id=" + std::to_string(id_of("posters/1.jpg"));
  const auto reject = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "reject", "-q", "-d", at("index.db"), at("posters/1.jpg"), at("posters/small.jpg")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run_program("lookalike", words).exit_code, 0);
  };
  EXPECT_EQ(rejected(ask(line)), 0);
  reject({});
  EXPECT_EQ(rejected(ask(line)), 1);
  // A damaged file fails every request, not only the first.
  shared_->write("index.db.rejected", "damaged");
  for (int i = 0; i < 2; ++i) expect_error(ask(line), 500, "failed");
  fs::remove(at("index.db.rejected"));
  EXPECT_EQ(rejected(ask(line)), 0);
}

TEST_F(ServeTest, EmptiesTheLogThatItsReadersHold) {
  start();
  const auto is_empty = [&] {  // or gone, as when nobody held it for a moment
    std::error_code error;
    const auto bytes = fs::file_size(at("index.db-wal"), error);
    return error || bytes == 0;
  };
  IndexWriter(at("index.db")).set_derived("test", std::string(20 << 20, 'x'));
  ASSERT_TRUE(wait_until(is_empty));
  EXPECT_FALSE(query()["matches"].empty());
  const int states = get("/v1/health")["state"];
  // Long enough for another look at the index: after a build the thread rests four times as long.
  std::this_thread::sleep_for(2500ms);
  EXPECT_EQ(get("/v1/health")["state"], states) << "nothing is built again without need";
}

TEST_F(ServeTest, RefusesPhotosThatCannotBeUsed) {
  start({"--set", "serve.max_body_mib=1", "--set", "serve.max_megapixels=10"});
  expect_error(ask("POST /v1/query", {}, "not a picture"), 422, "undecodable");
  expect_error(ask("POST /v1/query"), 400, "empty");
  expect_error(ask("POST /v1/query", {"Content-Type: multipart/form-data; boundary=x"}, "--x"), 400,
               "multipart");
  const HttpConnection large = connect_();
  large.send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n");
  expect_error(large.reply(), 413, "too_large");
  std::vector<std::uint8_t> bomb;  // a few kB that would become 12 megapixels
  cv::imencode(".png", cv::Mat::zeros(3000, 4000, CV_8U), bomb);
  const HttpReply refused = ask("POST /v1/query", {}, {bomb.begin(), bomb.end()});
  expect_error(refused, 413, "too_large");
  EXPECT_THAT(refused.body, HasSubstr("4000 x 3000 px exceeds serve.max_megapixels = 10"));
  expect_error(ask("POST /v1/query?region=600,0,100,100", {}, content_of(at("photo.jpg"))), 400,
               "parameter");
  for (const char* wrong : {"top=0", "top=x", "region=1", "mirror=maybe", "all=1", "top=1&top=2",
                            "min_probability=2"}) {
    expect_error(ask(std::string("POST /v1/query?") + wrong, {}, content_of(at("photo.jpg"))), 400,
                 "parameter");
  }
  EXPECT_EQ(ask("GET /v1/health").status, 200);
  start({"--set", "images.max_megapixels=10"});
  expect_error(ask("POST /v1/query", {}, {bomb.begin(), bomb.end()}), 413, "too_large");
}

TEST_F(ServeTest, ShowsAPhotoThatTheBrowserCannot) {
  start({"--set", "serve.max_megapixels=1"});
  cv::imwrite(at("photo.tif"), draw_poster(1, {600, 800}));
  const HttpReply reply = ask("POST /v1/thumbnail?side=100", {}, content_of(at("photo.tif")));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "image/jpeg");
  EXPECT_EQ(reply.headers.at("photo-width"), "600");
  EXPECT_EQ(reply.headers.at("photo-height"), "800");
  const cv::Mat bytes(1, static_cast<int>(reply.body.size()), CV_8U,
                      const_cast<char*>(reply.body.data()));
  EXPECT_EQ(cv::imdecode(bytes, cv::IMREAD_COLOR).size(), cv::Size(75, 100));
  expect_error(ask("POST /v1/thumbnail", {}, "not a picture"), 422, "undecodable");
  cv::imwrite(at("photo.tif"), draw_poster(1, {1000, 1200}));
  expect_error(ask("POST /v1/thumbnail", {}, content_of(at("photo.tif"))), 413, "too_large");
}

TEST_F(ServeTest, ReadsIndexedImagesAlone) {
  start();
  const std::string id = std::to_string(id_of("posters/5.jpg"));
  const HttpReply thumbnail = ask("GET /v1/images/" + id + "/thumbnail?side=100");
  EXPECT_EQ(thumbnail.headers.at("content-type"), "image/jpeg");
  const cv::Mat bytes(1, static_cast<int>(thumbnail.body.size()), CV_8U,
                      const_cast<char*>(thumbnail.body.data()));
  EXPECT_EQ(cv::imdecode(bytes, cv::IMREAD_COLOR).size(), cv::Size(75, 100));
  for (const char* path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/v1/images/../../../etc/passwd",
        "/v1/images/..%2f..%2fetc%2fpasswd/thumbnail", "/v1/images/%2fetc%2fpasswd",
        "/v1/images/-1", "/v1/images/1x", "/v1/images/0", "/v1/images//",
        "/v1/images/99999999999999999999", "/v1/images/8/thumbnail/", "//etc/passwd", "/style.css/",
        "/v1/schema/../openapi.json", "/web/index.html"}) {
    EXPECT_EQ(ask(std::string("GET ") + path).status, 404) << path;
  }
  // A file that replaced an indexed one is not shown.
  draw("posters/5.jpg", 77);
  expect_error(ask("GET /v1/images/" + id + "/thumbnail"), 404, "gone");
}

TEST_F(ServeTest, NamesTheMethodsOfAPathAndTheParametersThatItNeeds) {
  start();
  const std::vector<std::pair<std::string, std::string>> wrong_methods = {
      {"PUT /v1/images/1", "GET, HEAD"},
      {"HEAD /v1/thumbnail", "POST"},
      {"POST /style.css", "GET, HEAD"},
      {"OPTIONS /v1/query", "POST, GET, HEAD"},
      {"PUT /v1/rejections", "POST, GET, HEAD, DELETE"}};
  for (const auto& [line, allowed] : wrong_methods) {
    for (const char* body : {"", "body"}) {
      const HttpReply reply = ask(line, {}, body);
      EXPECT_EQ(reply.status, 405) << line;
      EXPECT_EQ(reply.headers.at("allow"), allowed) << line;
    }
  }
  for (const char* path : {"/v1/health", "/v1/images", "/v1/images/1", "/v1/runs", "/metrics"}) {
    const HttpReply head = ask(std::string("HEAD ") + path);
    EXPECT_EQ(head.status, 200) << path;
    EXPECT_EQ(head.body, "") << path;
    EXPECT_GT(std::stoi(head.headers.at("content-length")), 0) << path;
  }
  for (const char* line : {"GET /v1/query", "GET /v1/folder", "DELETE /v1/rejections",
                           "DELETE /v1/rejections?a=1", "DELETE /v1/rejections?a=x&b=1"}) {
    expect_error(ask(line), 400, "parameter");
  }
  expect_error(ask("GET /v1/images/1%00/thumbnail"), 400, "malformed");
  expect_error(ask("GET /v1/folder?path=" + at("posters") + "%00/etc"), 400, "malformed");
}

TEST_F(ServeTest, AnIndexedImageBeyondTheLimitsIsNotTheRequestsFault) {
  cv::imwrite(at("posters/large.jpg"), draw_poster(9, {1000, 1200}));
  index();
  start({"--set", "images.max_megapixels=1"});
  const HttpReply reply =
      ask("GET /v1/images/" + std::to_string(id_of("posters/large.jpg")) + "/thumbnail");
  expect_error(reply, 422, "too_large");
  EXPECT_EQ(json::parse(reply.body)["error"]["kind"], "input");
  EXPECT_THAT(reply.body, HasSubstr("the indexed image cannot be read: 1000 x 1200 px"));
}

TEST_F(ServeTest, TcpNeedsTheToken) {
  start_tcp({"--token-file", at("token")});
  const std::string right = "Authorization: Bearer " + kToken;
  expect_error(ask("GET /v1/runs"), 401, "token");
  expect_error(ask("GET /v1/runs", {"Authorization: Bearer " + kToken + "0"}), 401, "token");
  expect_error(ask("GET /v1/runs?token=" + kToken), 401, "token");
  EXPECT_EQ(ask("GET /v1/runs").headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(ask("GET /v1/runs", {right}).status, 200);
  EXPECT_EQ(ask("GET /v1/health").body, "{\"schema\":1,\"status\":\"ok\"}\n");
  EXPECT_THAT(ask("GET /v1/health", {right}).body, HasSubstr("\"images\":7"));
  const auto status_without_host = [&](const std::string& line) {
    const HttpConnection connection = connect_();
    connection.send(line + "\r\n\r\n");
    return connection.reply().status;
  };
  EXPECT_EQ(status_without_host("GET /v1/health HTTP/1.0"), 200);
  EXPECT_EQ(status_without_host("GET /v1/health HTTP/1.1"), 400);
  for (const char* path : {"/", "/v1/index", "/metrics"}) {
    EXPECT_EQ(status_without_host(std::string("GET ") + path + " HTTP/1.0"), 421) << path;
  }
  expect_error(ask("GET /v1/health", {right, "Host: evil.example"}), 421, "host");
  expect_error(ask("GET /", {"Host: evil.example"}), 421, "host");
  EXPECT_EQ(ask("GET http://localhost/v1/runs", {right, "Host: evil.example"}).status, 200);
  expect_error(ask("GET http://evil.example/v1/runs", {right}), 421, "host");
  expect_error(ask("POST /v1/rejections", {right, "Origin: https://evil.example"}, "{}"), 403,
               "origin");
  expect_error(ask("POST /v1/rejections", {right, "Origin: null"}, "{}"), 403, "origin");
  const std::vector<std::string> shown = {right, "Sec-Fetch-Site: cross-site",
                                          "Sec-Fetch-Mode: no-cors"};
  for (const char* path : {"/v1/images/1/thumbnail", "/v1/health", "/icon.svg", "/"}) {
    expect_error(ask(std::string("GET ") + path, shown), 403, "origin");
  }
  EXPECT_EQ(ask("GET /", {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"}).status, 200);
  const HttpReply page = ask("GET /");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, Not(HasSubstr(kToken)));
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'self'"));
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  program_->send(SIGTERM);
  const ProgramResult result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::MatchesRegex("http://127.0.0.1:[0-9]+/\n"));
}

TEST_F(ServeTest, WithoutATokenFileTheUrlHasATokenOfThisRun) {
  start_tcp();
  expect_error(ask("GET /v1/runs"), 401, "token");
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().out,
              testing::MatchesRegex("http://127.0.0.1:[0-9]+/#token=[0-9a-f]{32}\n"));
}

TEST_F(ServeTest, LogsRequestsWithoutTokens) {
  start_tcp({"--token-file", at("token"), "--set", "serve.access_log=true"});
  ask("GET /v1/query?id=1&top=2", {"Authorization: Bearer " + kToken});
  for (int i = 0; i < 12; ++i) ask("GET /v1/runs", {"Authorization: Bearer wrong-" + kToken});
  ask("GET /v1/runs");
  ask("GET /a%20b%0Ac?token=" + kToken);
  program_->send(SIGTERM);
  const std::string log = program_->wait().err;
  const std::string line = "access: [0-9-]+T[0-9:]+Z 127.0.0.1 ";
  EXPECT_THAT(log, testing::ContainsRegex(line + "GET /v1/query 200 [0-9.]+ ms\n"));
  EXPECT_THAT(log, testing::ContainsRegex(line + "GET /v1/runs 401 "));
  EXPECT_THAT(log, testing::ContainsRegex(line + "GET /a[^ ]+c 401 "));
  EXPECT_THAT(log, Not(HasSubstr(kToken)));
  std::size_t warnings = 0;
  for (std::size_t at = 0; (at = log.find("wrong token from 127.0.0.1", at)) != log.npos; ++at) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 10U) << "a minute";
  EXPECT_THAT(log, testing::ContainsRegex("stopping after 0.0 h and 15 requests"));
}

TEST_F(ServeTest, WarnsOfTokensThatAreTriedOnItsHealth) {
  start_tcp({"--token-file", at("token")});
  ask("GET /v1/health", {"Authorization: Bearer wrong"});
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().err, HasSubstr("wrong token from 127.0.0.1"));
}

TEST_F(ServeTest, IsQuietOfRequestsByDefault) {
  start();
  get("/v1/runs");
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().err, Not(HasSubstr("access")));
  start({"-v"});
  get("/v1/runs");
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().err, HasSubstr(" unix GET /v1/runs 200 "));
}

TEST_F(ServeTest, AnswersSeveralPhotosLineByLine) {
  start();
  const auto part = [](const std::string& name, const std::string& bytes) {
    return "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"" + name +
           "\"\r\n\r\n" + bytes + "\r\n";
  };
  const std::string photo = content_of(at("photo.jpg"));
  const std::string type = "Content-Type: multipart/form-data; boundary=xyz";
  const HttpReply one = ask("POST /v1/query", {type}, part("a/b/photo.jpg", photo) + "--xyz--");
  EXPECT_EQ(json::parse(one.body)["query"], "photo.jpg") << "the name of the file alone";
  const HttpReply odd = ask("POST /v1/query", {type}, part("a\\b%0A\u00e4.jpg", photo) + "--xyz--");
  EXPECT_EQ(json::parse(odd.body)["query"], "a\\b\n\u00e4.jpg");
  const std::string form = part("a.jpg", photo) + part("words.jpg", "no picture") + part("", "") +
                           part("\xff.jpg", content_of(at("posters/1.jpg"))) + "--xyz--";
  const HttpConnection connection = connect_();
  // Without chunks, the body is the lines alone.
  connection.send("POST /v1/query?top=2 HTTP/1.0\r\nHost: localhost\r\n" + type +
                  "\r\nContent-Length: " + std::to_string(form.size()) + "\r\n\r\n" + form);
  const HttpReply reply = connection.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "application/jsonl");
  std::istringstream text(reply.body);
  std::vector<json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  ASSERT_EQ(lines.size(), 4U) << reply.body;
  EXPECT_EQ(lines[0]["query"], "a.jpg");
  EXPECT_THAT(output_faults("query", lines[0].dump()), IsEmpty());
  EXPECT_EQ(lines[0]["matches"], query("?top=2")["matches"]);
  EXPECT_EQ(lines[1]["query"], "words.jpg");
  EXPECT_EQ(lines[1]["error"]["kind"], "input");
  EXPECT_EQ(lines[2]["query"], "photo");
  EXPECT_EQ(lines[2]["error"]["reason"], "empty");
  EXPECT_EQ(lines[3]["matches"][0]["decision"], "duplicate");
  const json api = get("/v1/openapi.json");
  const json& schema = api["paths"]["/v1/query"]["post"]["responses"]["200"]["content"]
                          ["application/jsonl"]["schema"];
  for (const json& line : lines) EXPECT_THAT(schema_faults(schema, line, api), IsEmpty()) << line;
}

TEST_F(ServeTest, ThePythonClientLooksPhotosUp) {
  const std::string client = LOOKALIKE_SOURCE_DIR "/docs/lookalike_client.py";
  start_tcp({"--token-file", at("token")});
  program_->wait_for_output();
  const auto run_client = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {client, "--token-file", at("token")});
    return run_program("/usr/bin/env", [&] {
      words.insert(words.begin(), "python3");
      return words;
    }());
  };
  const std::string url = "http://127.0.0.1:" + std::to_string(port_);
  const ProgramResult found =
      run_client({"--url", url, at("photo.jpg"), at("posters/broken.jpg"), at("posters/2.jpg")});
  EXPECT_EQ(found.exit_code, 1) << found.err;
  EXPECT_THAT(found.out, testing::MatchesRegex(
                             "photo.jpg\t1\tsame_object\t[0-9.]+\t" + at("posters/3.jpg") +
                             "\nbroken.jpg\terror\t[^\t\n]+\n2.jpg\t1\tduplicate\t[0-9.]+\t" +
                             at("posters/2.jpg") + "\n"));
  const std::string odd = "a\\b\"\r\nX-Y: c.jpg";
  shared_->write(odd, "not a picture");
  const ProgramResult named = run_client({"--url", url, at(odd)});
  EXPECT_THAT(named.out, testing::StartsWith("a\\b\"\\r\\nX-Y: c.jpg\terror\t")) << named.err;
  const ProgramResult one = run_client({"--url", url, at("posters/broken.jpg")});
  EXPECT_THAT(one.out, HasSubstr("broken.jpg\terror\t"));
  shared_->write("wrong", std::string(32, 'x'));
  const ProgramResult refused =
      run_program("/usr/bin/env",
                  {"python3", client, "--url", url, "--token-file", at("wrong"), at("photo.jpg")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("lookalike_client.py: missing or wrong token"));
  start();
  const ProgramResult local = run_client({"--url", "unix:" + at("socket"), at("posters/2.jpg")});
  EXPECT_THAT(local.out, HasSubstr("2.jpg\t1\tduplicate")) << local.err;
}

TEST_F(ServeTest, ThePageAndTheClientWorkBelowAFolderOfAProxy) {
  start();
  const std::string page = ask("GET /").body;
  const std::regex module("href=\"([^\"]+[.]js)\"");
  int modules = 0;
  for (std::sregex_iterator each(page.begin(), page.end(), module), end; each != end; ++each) {
    const HttpReply reply = ask("GET /" + (*each)[1].str());
    EXPECT_EQ(reply.status, 200) << (*each)[1];
    EXPECT_THAT(reply.body, Not(testing::ContainsRegex("['\"`]/v1/"))) << (*each)[1];
    ++modules;
  }
  EXPECT_GT(modules, 20);
  const std::string script = shared_->write("proxied.py", R"py(
import http.server, json, sys, threading
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import lookalike_client
class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        bad = {"/bad/v1/images": "<html>", "/worse/v1/images": '{"error": "down"}'}.get(self.path)
        self.send_response(502 if bad else 200)
        self.end_headers()
        self.wfile.write((bad or json.dumps([self.path, self.headers["Authorization"]])).encode())
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=server.serve_forever, daemon=True).start()
for folder in "", "/", "/a/b", "/a/b/":
    url = f"http://127.0.0.1:{server.server_port}{folder}"
    print(lookalike_client.Lookalike(url).get("/v1/images", limit=3)[0])
host = f"127.0.0.1:{server.server_port}"
for url in f"http://me:p%40ss@{host}/a", f"http://{host}/#token=secret%2B":
    print(lookalike_client.Lookalike(url).get("v1/images"))
for folder in "bad", "worse":
    try:
        lookalike_client.Lookalike(f"http://{host}/{folder}").get("/v1/images")
    except lookalike_client.Refused as error:
        print(error)
)py");
  const ProgramResult asked =
      run_program("/usr/bin/env", {"python3", script, LOOKALIKE_SOURCE_DIR "/docs"});
  EXPECT_EQ(asked.out,
            "/v1/images?limit=3\n/v1/images?limit=3\n/a/b/v1/images?limit=3\n"
            "/a/b/v1/images?limit=3\n"
            "['/a/v1/images', 'Basic bWU6cEBzcw==']\n['/v1/images', 'Bearer secret+']\n"
            "the answer is 502 Bad Gateway\nthe answer is 502 Bad Gateway\n")
      << asked.err;
}

TEST_F(ServeTest, AnswersInAFolderThatAProxyLeavesInThePath) {
  start_tcp({"--set", "serve.base=\"/a/photos/\"", "--token-file", at("token")});
  usual_headers_ = {"Authorization: Bearer " + kToken};
  const std::string id = std::to_string(id_of("posters/2.jpg"));
  for (const std::string base : {"/a/photos", ""}) {
    EXPECT_THAT(ask("GET " + base + "/").body, HasSubstr("<!doctype html>")) << base;
    EXPECT_THAT(ask("GET " + base + "/main.js").headers.at("content-type"),
                HasSubstr("text/javascript"));
    const std::string image = fmt::format("{}/v1/images/{}", base, id);
    EXPECT_EQ(get(image)["id"].dump(), id);
    EXPECT_EQ(ask("GET " + image + "/thumbnail").status, 200);
    EXPECT_EQ(get(base + "/v1/health")["status"], "ok");
  }
  const HttpReply moved = ask("GET /a/photos");
  EXPECT_EQ(moved.status, 308);
  EXPECT_EQ(moved.headers.at("location"), "/a/photos/");
  const std::vector<std::string> by_link = {"Sec-Fetch-Site: cross-site",
                                            "Sec-Fetch-Mode: navigate"};
  EXPECT_EQ(ask("GET /a/photos", by_link).status, 308);
  expect_error(ask("GET /a/photosv1/health"), 404, "path");
  expect_error(ask("GET /a/v1/health"), 404, "path");
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().out, HasSubstr("/a/photos/\n"));
  for (const char* base : {"photos", "/a b", "/a/../b", "/a?b", "//a"}) {
    const ProgramResult refused =
        run_program("lookalike", {"serve", "-d", at("index.db"), "--listen", "127.0.0.1:0", "--set",
                                  std::string("serve.base=\"") + base + "\""});
    EXPECT_EQ(refused.exit_code, 2) << base;
    EXPECT_THAT(refused.err, HasSubstr("serve.base")) << base;
  }
}

TEST_F(ServeTest, OpenToOthersItPrintsTheirUrls) {
  start_tcp({"--hosts", "Photos.example.org", "--hosts", "nas"}, "0.0.0.0");
  program_->wait_for_output();
  EXPECT_EQ(ask("GET /", {"Host: photos.example.org:80"}).status, 200);
  EXPECT_EQ(ask("GET /", {"Host: nas"}).status, 200);
  EXPECT_EQ(ask("GET /", {"Host: 192.0.2.7"}).status, 421);
  const std::vector<std::string> addresses = Listener("0.0.0.0:0").outer_addresses();
  for (const std::string& address : addresses) {
    EXPECT_EQ(ask("GET /", {"Host: " + address}).status, 200) << address;
  }
  program_->send(SIGTERM);
  const std::string out = program_->wait().out;
  const std::string end = ":" + std::to_string(port_) + "/#token=";
  EXPECT_THAT(out, testing::StartsWith("http://localhost" + end));
  for (const std::string& address : addresses)
    EXPECT_THAT(out, HasSubstr(std::string("\nhttp://").append(address).append(end)));
}

TEST_F(ServeTest, WritesNoQrCodeIntoAFile) {
  if (Listener("0.0.0.0:0").outer_addresses().empty()) GTEST_SKIP() << "no network";
  start_tcp({}, "0.0.0.0");
  program_->send(SIGTERM);
  EXPECT_THAT(program_->wait().out, Not(HasSubstr("\u2588")));
}

TEST_F(ServeTest, EveryOperationHasANameOfItsOwn) {
  start();
  const json api = get("/v1/openapi.json");
  EXPECT_THAT(api["servers"], Not(IsEmpty()));
  std::set<std::string> names;
  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      EXPECT_TRUE(names.insert(operation.value("operationId", "")).second) << method << " " << path;
    }
  }
  EXPECT_FALSE(names.contains(""));
}

TEST_F(ServeTest, AnswersFromWhatARunPublishes) {
  start();
  draw("posters/new.jpg", 50);
  cv::imwrite(at("photo.jpg"), draw_poster(50, {240, 320}));
  EXPECT_THAT(query()["matches"].dump(), Not(HasSubstr("new.jpg")));
  index();
  const auto published = Clock::now();
  ASSERT_TRUE(
      wait_until([&] { return query()["matches"].dump().find("new.jpg") != std::string::npos; }));
  // The limit is two seconds on an idle machine.
  EXPECT_LT(Clock::now() - published, 5s);
  EXPECT_EQ(get("/v1/health")["images"], 8);
}

TEST_F(ServeTest, AnswersFromWhatARunPublishesIntoAShard) {
  fs::copy_file(at("index.db"), at("shard.db"));
  const auto index_shard = [&] {
    return run_program("lookalike", {"index", "-q", at("more"), "-d", at("shard.db")}).exit_code;
  };
  fs::create_directory(at("more"));
  draw("more/7.jpg", 7);
  ASSERT_EQ(index_shard(), 0);
  ASSERT_EQ(
      run_program("lookalike", {"remove", "-q", at("posters"), "-d", at("shard.db")}).exit_code, 0);
  start({"-d", at("shard.db")});
  EXPECT_EQ(get("/v1/health")["images"], 8);
  EXPECT_THAT(query()["matches"].dump(), HasSubstr("3.jpg"));
  draw("more/new.jpg", 50);
  cv::imwrite(at("photo.jpg"), draw_poster(50, {240, 320}));
  ASSERT_EQ(index_shard(), 0);
  EXPECT_TRUE(
      wait_until([&] { return query()["matches"].dump().find("new.jpg") != std::string::npos; }));
}

TEST_F(ServeTest, ImagesWithoutFeaturesNeedNoComparison) {
  cv::imwrite(at("posters/flat.png"), cv::Mat(300, 400, CV_8U, cv::Scalar(90)));
  index();
  start();
  expect_error(ask("GET /v1/groups"), 409, "not_compared");
  run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")});
  EXPECT_EQ(get("/v1/groups")["not_compared"], 0);
}

TEST_F(ServeTest, RejectedPairsLeaveTheGroups) {
  start();
  expect_error(ask("GET /v1/groups"), 409, "not_compared");
  const json lines = run({"duplicates", "-q", "--json", "-d", at("index.db"), "--kind", "copy"});
  EXPECT_EQ(lines["files"].size(), 2U);
  const auto has_pair = [&] {
    return get("/v1/groups").dump().find("small.jpg") != std::string::npos;
  };
  const json groups = get("/v1/groups?limit=1");
  EXPECT_EQ(groups["total"], 2);
  EXPECT_EQ(groups["next"], 1);
  EXPECT_EQ(get("/v1/groups?after=1")["groups"].size(), 1U);
  EXPECT_TRUE(has_pair());
  const std::string a = std::to_string(id_of("posters/1.jpg"));
  const std::string b = std::to_string(id_of("posters/small.jpg"));
  const std::string pair = R"({"a": )" + a + R"(, "b": )" + b + "}";
  EXPECT_EQ(json::parse(ask("POST /v1/rejections", {}, pair).body)["changed"], true);
  EXPECT_EQ(json::parse(ask("POST /v1/rejections", {}, pair).body)["changed"], false);
  EXPECT_FALSE(has_pair());
  EXPECT_EQ(ask("DELETE /v1/rejections?a=" + a + "&b=" + b).status, 200);
  EXPECT_TRUE(has_pair());
  for (const char* wrong : {"", "[", "{}", R"({"a": 1})", R"({"a": "1", "b": 2})",
                            R"({"a": -1, "b": 2})", R"({"a": 1.5, "b": 2})"}) {
    expect_error(ask("POST /v1/rejections", {}, wrong), 400, "body");
  }
  expect_error(ask("POST /v1/rejections", {}, std::string(100'000, '[')), 400, "body");
  expect_error(ask("POST /v1/rejections", {}, R"({"a": 1, "b": 99})"), 404, "not_indexed");
  expect_error(ask("POST /v1/rejections", {}, R"({"a": 1, "b": 1})"), 400, "parameter");
}

TEST_F(ServeTest, GroupsThatSomebodyAskedForAreReadyAfterARun) {
  start({"--verbose"});
  const auto times_ready = [&] {
    const std::string log = program_->err_so_far();
    int times = 0;
    for (std::size_t at = 0; (at = log.find("groups are ready", at)) != log.npos; ++at) ++times;
    return times;
  };
  ASSERT_EQ(run_program("lookalike", {"duplicates", "-q", "-d", at("index.db")}).exit_code, 0);
  get("/v1/groups");
  ASSERT_TRUE(wait_until([&] { return times_ready() == 1; }));
  draw("posters/another.jpg", 1);
  index();
  EXPECT_TRUE(wait_until([&] { return times_ready() == 2; }));
}

TEST_F(ServeTest, OverloadIsRefusedAndOver) {
  start({"--set", "serve.queue=1"});
  const std::string photo = content_of(at("photo.jpg"));
  std::vector<HttpConnection> connections;
  connections.reserve(40);
  while (connections.size() < 40) connections.push_back(connect_());
  for (const auto& connection : connections) {
    connection.send(http_request("POST /v1/query", {}, photo));
  }
  int refused = 0;
  for (const auto& connection : connections) {
    const HttpReply reply = connection.reply();
    EXPECT_THAT(reply.status, AnyOf(200, 503));
    if (reply.status != 503) continue;
    ++refused;
    EXPECT_EQ(reply.headers.at("retry-after"), "1");
    expect_error(reply, 503, "overloaded");
  }
  EXPECT_GT(refused, 0);
  EXPECT_FALSE(query()["matches"].empty());
}

TEST_F(ServeTest, ASignalFinishesWhatIsUnderWay) {
  start();
  const HttpConnection slow = connect_();
  const std::string request = http_request("POST /v1/query", {}, content_of(at("photo.jpg")));
  slow.send(request.substr(0, request.size() - 1));
  get("/v1/health");  // by now the earlier request has been read
  program_->send(SIGTERM);
  EXPECT_TRUE(wait_until([&] { return !can_connect(); })) << "new clients are refused meanwhile";
  EXPECT_TRUE(program_->is_running());
  slow.send(request.substr(request.size() - 1));
  EXPECT_EQ(slow.reply().status, 200);
  EXPECT_EQ(program_->wait().exit_code, 0);
  EXPECT_FALSE(fs::exists(at("socket")));
}

TEST_F(ServeTest, AHangUpIsLoggedAndIgnored) {
  start();
  program_->send(SIGHUP);
  EXPECT_EQ(get("/v1/health")["images"], 7);
  program_->send(SIGTERM);
  const ProgramResult result = program_->wait();
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(ServeTest, AStrangersIdleConnectionsHoldNobodyUp) {
  start_tcp({"--token-file", at("token")});
  std::vector<HttpConnection> idle;
  idle.reserve(400);
  while (idle.size() < 400) idle.push_back(connect_());
  const auto begin = Clock::now();
  EXPECT_EQ(ask("GET /v1/health", {"Authorization: Bearer " + kToken}).status, 200);
  EXPECT_LT(Clock::now() - begin, 2s);
}

// A large picture waits for large ones alone.
TEST_F(ServeTest, LargePicturesHoldNobodyUp) {
  start();
  cv::imwrite(at("large.png"), cv::Mat::zeros(8100, 8100, CV_8U));
  const std::string large = content_of(at("large.png"));
  std::vector<HttpConnection> connections;
  for (int i = 0; i < 4; ++i) {
    connections.push_back(connect_());
    connections.back().send(http_request("POST /v1/query", {}, large));
  }
  EXPECT_EQ(get("/v1/images/1")["id"], 1);
  EXPECT_FALSE(query()["matches"].empty());
  for (const auto& connection : connections) EXPECT_EQ(connection.reply().status, 200);
}

TEST_F(ServeTest, TakesTheSocketThatSystemdHandsOver) {
  const Listener listener("unix:" + at("socket"));
  const int number = listener.duplicate();
  ASSERT_EQ(::fcntl(number, F_SETFD, 0), 0);
  const std::string command = "LISTEN_PID=$$ LISTEN_FDS=1 exec '" +
                              (fs::path(LOOKALIKE_PROGRAMS) / "lookalike").native() +
                              "' serve -d '" + at("index.db") + "' 3<&" + std::to_string(number);
  connect_ = [this] { return HttpConnection(at("socket")); };
  for (int i = 0; i < 2; ++i) {  // the socket outlives the server
    program_ = std::make_unique<RunningProgram>("/bin/sh", std::vector<std::string>{"-c", command});
    EXPECT_EQ(get("/v1/health")["images"], 7);
    program_->send(SIGTERM);
    EXPECT_EQ(program_->wait().exit_code, 0);
  }
  ::close(number);
}

// The command of the unit file, started by systemd's own tool.
TEST_F(ServeTest, TheFirstRequestStartsItUnderSystemd) {
  const std::string activate = "/usr/bin/systemd-socket-activate";
  if (!fs::exists(activate)) GTEST_SKIP() << "systemd is not installed";
  const std::string unit = content_of(fs::path(LOOKALIKE_SOURCE_DIR) /
                                      "tools/packaging/nightly/lookalike-serve@.service");
  const std::string key = "\nExecStart=lookalike ";
  const std::size_t begin = unit.find(key);
  ASSERT_NE(begin, unit.npos);
  std::string words = unit.substr(begin + key.size());
  words.resize(words.find('\n'));
  const std::string config = "/etc/lookalike/%i.toml";
  ASSERT_NE(words.find(config), words.npos);
  words.replace(words.find(config), config.size(), at("index.toml"));
  shared_->write("index.toml", "[store]\ndatabase = \"" + at("index.db") + "\"\n");
  const std::string program = fs::path(LOOKALIKE_PROGRAMS) / "lookalike";
  const std::string command = "exec " + activate + " -l '" + at("socket") + "' '" + program + "' ";
  program_ =
      std::make_unique<RunningProgram>("/bin/sh", std::vector<std::string>{"-c", command + words});
  connect_ = [this] { return HttpConnection(at("socket")); };
  wait_for_start();
  EXPECT_FALSE(query()["matches"].empty());
  program_->send(SIGTERM);
  EXPECT_EQ(program_->wait().exit_code, 0);
}

TEST_F(ServeTest, ReplacesASocketThatNobodyListensOn) {
  start();
  EXPECT_THAT(run_program("lookalike",
                          {"serve", "-q", "-d", at("index.db"), "--listen", "unix:" + at("socket")})
                  .err,
              HasSubstr("Address already in use"));
  program_->send(SIGKILL);
  program_->wait();
  EXPECT_TRUE(fs::exists(at("socket")));
  start();
  EXPECT_EQ(get("/v1/health")["images"], 7);
}

TEST_F(ServeTest, WarnsThatOtherMachinesMayAsk) {
  const auto started = [&](const std::vector<std::string>& more) {
    start_tcp(more, "0.0.0.0");
    program_->send(SIGTERM);
    return program_->wait();
  };
  EXPECT_THAT(started({}).err, HasSubstr("0.0.0.0 is open to other machines"));
}

TEST_F(ServeTest, RefusesWhatItCannotServe) {
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"serve", "-q", "-d", at("index.db")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program("lookalike", words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({"--listen", "localhost"}), HasSubstr("ADDRESS:PORT"));
  EXPECT_THAT(error({"--listen", "127.0.0.1:80000"}), HasSubstr("from 0 to 65535"));
  EXPECT_THAT(error({"--listen", "unix:relative"}), HasSubstr("absolute path"));
  shared_->write("open", kToken);
  EXPECT_THAT(error({"--listen", "127.0.0.1:0", "--token-file", at("open")}),
              HasSubstr("others can read or write it"));
  fs::permissions(at("open"), fs::perms::owner_all | fs::perms::group_write);
  EXPECT_THAT(error({"--listen", "127.0.0.1:0", "--token-file", at("open")}),
              HasSubstr("others can read or write it"));
  EXPECT_THAT(error({"--listen", "127.0.0.1:0", "--set", "serve.hosts=[\"https://a.example\"]"}),
              HasSubstr("without a scheme"));
}

}  // namespace
}  // namespace lookalike
