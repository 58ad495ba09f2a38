#include "base/system_folders.h"

#include <algorithm>
#include <array>
#include <fnmatch.h>
#include <string>

namespace lookalike {
namespace {

constexpr std::array kSystemFolders = {
    SystemFolder{"#recycle", "Synology", "deleted files"},
    SystemFolder{"#snapshot", "Synology", "snapshots"},
    SystemFolder{"@eaDir", "Synology", "thumbnails"},
    SystemFolder{"@tmp", "Synology", "temporary files"},
    SystemFolder{"@Recycle", "QNAP", "deleted files"},
    SystemFolder{"@Recently-Snapshot", "QNAP", "snapshots"},
    SystemFolder{".@__thumb", "QNAP", "thumbnails"},
    SystemFolder{".@upload_cache", "QNAP", "temporary files"},
    SystemFolder{"trashbox", "Buffalo", "deleted files"},
    SystemFolder{".recycle", "Samba", "deleted files"},
    SystemFolder{"@GMT-*", "Samba, Windows", "snapshots"},
    SystemFolder{"$RECYCLE.BIN", "Windows", "deleted files"},
    SystemFolder{"RECYCLER", "Windows", "deleted files"},
    SystemFolder{"System Volume Information", "Windows", "snapshots"},
    SystemFolder{"found.[0-9][0-9][0-9]", "Windows", "files that chkdsk found"},
    SystemFolder{".Trash*", "macOS, Linux", "deleted files"},
    SystemFolder{"Network Trash Folder", "macOS", "deleted files"},
    SystemFolder{"Temporary Items", "macOS", "temporary files"},
    SystemFolder{".TemporaryItems", "macOS", "temporary files"},
    SystemFolder{".DocumentRevisions-V100", "macOS", "earlier versions"},
    SystemFolder{".MobileBackups*", "macOS", "snapshots"},
    SystemFolder{"lost+found", "ext4, XFS", "files that fsck found"},
    SystemFolder{".snapshots", "Btrfs, Snapper", "snapshots"},
    SystemFolder{".zfs", "ZFS", "snapshots"},
    SystemFolder{".snap", "UFS, Ceph", "snapshots"},
    SystemFolder{".snapshot", "NetApp, Isilon", "snapshots"},
    SystemFolder{"~snapshot", "NetApp", "snapshots"},
    SystemFolder{".thumbnails", "Android, GNOME", "thumbnails"},
    SystemFolder{".dtrash", "digiKam", "deleted files"},
    SystemFolder{".sync", "Resilio Sync", "deleted files"},
    SystemFolder{".stversions", "Syncthing", "earlier versions"},
    SystemFolder{".dropbox.cache", "Dropbox", "deleted files"},
    SystemFolder{"files_trashbin", "Nextcloud, ownCloud", "deleted files"},
    SystemFolder{"files_versions", "Nextcloud, ownCloud", "earlier versions"},
    SystemFolder{"appdata_oc*", "Nextcloud", "thumbnails"},
};

}  // namespace

std::span<const SystemFolder> system_folders() {
  return kSystemFolders;
}

bool is_system_folder(std::string_view name) {
  const std::string text(name);
  return std::ranges::any_of(kSystemFolders, [&](const SystemFolder& folder) {
    return ::fnmatch(folder.pattern.data(), text.c_str(), FNM_CASEFOLD) == 0;
  });
}

}  // namespace lookalike
