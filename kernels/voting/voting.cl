// Votes of queries for images, by posting lists that stay on the device.
//   signatures, images [postings]   by word, then by image; neighbours with the same image all have
//                                   the bit SEVERAL
//   features [m]                    signature; number of the query in the low half, and in the high
//                                   half whether it is that query's last feature of the word
//   scores [queries][images]        fixed-point sums
// Sums are integers, so their order never matters. Votes are computed as the host does, in doubles
// whose products, quotients and roots are rounded correctly.
// After session/add_ulong.cl.
// Build: as add_ulong.cl, and -D GROUP_ITEMS: work-items of vote, 1 on a CPU, 64 on a GPU;
// POSTINGS: postings that an item compares at once, 1 or 4; SELECT_ITEMS: work-items of the other
// kernels, 256, which divides BINS; SELECT_IMAGES: images of a group there, 16,384; BINS: 4,096.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define SEVERAL 0x80000000u

// A list and the features that the batch compares with it. List in voting.cpp.
typedef struct {
  uint first, end;                  // postings
  uint first_feature, end_feature;  // features
  double idf_squared;
} List;

// A launch of vote. Votes in voting.cpp.
typedef struct {
  uint list_count, pieces;  // lists, and parts that each is cut into
  uint threshold, unused;   // largest distance of near signatures
  ulong image_count;
} Votes;

// What one query compares with a list.
typedef struct {
  global const ulong2* features;
  uint first, end, threshold;
  global const uint* weights;  // by distance
} Query;

// Counts the features that are near the signature, and adds up their weights.
void compare(ulong signature, const Query* query, uint* count, ulong* weight) {
  for (uint i = query->first; i < query->end; ++i) {
    const uint distance = (uint)popcount(signature ^ query->features[i].x);
    if (distance <= query->threshold) {
      ++*count;
      *weight += query->weights[distance];
    }
  }
}

// Adds the score of one query to the image of posting `at`, which has votes. All postings of one
// image count together, so the first of them that has votes adds for all.
void add_score(global const ulong* signatures, global const uint* images, List list,
               const Query* query, uint at, uint count, ulong weight,
               volatile global ulong* scores) {
  const uint image = images[at];
  if (image & SEVERAL) {
    for (uint i = at; i > list.first && images[i - 1] == image; --i) {
      uint earlier = 0;
      ulong ignored = 0;
      compare(signatures[i - 1], query, &earlier, &ignored);
      if (earlier > 0) return;
    }
    for (uint i = at + 1; i < list.end && images[i] == image; ++i) {
      compare(signatures[i], query, &count, &weight);
    }
  }
  const double sum = (double)weight;
  const double score = list.idf_squared * (count == 1 ? sum : sum / sqrt((double)count));
  const ulong whole = (ulong)score;
  ADD(scores + (image & ~SEVERAL), whole + (score - (double)whole >= 0.5 ? 1 : 0));
}

// Adds the scores of all queries of a batch. Each list is cut into parts of the same length, and a
// work-group takes a part. The first parts of all lists come first: lists are by image, so the
// groups that run at the same time add to scores that lie close together, which a cache holds. An
// item compares POSTINGS postings at a time with the features of all queries.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void vote(
    global const ulong* signatures, global const uint* images, global const List* lists,
    global const ulong2* features, global const uint* weights, Votes votes,
    volatile global ulong* scores) {
  const uint piece = get_group_id(0) / votes.list_count;
  if (piece >= votes.pieces) return;
  const List list = lists[get_group_id(0) % votes.list_count];
  const ulong size = list.end - list.first;
  const uint first = list.first + (uint)(size * piece / votes.pieces);
  const uint end = list.first + (uint)(size * (piece + 1) / votes.pieces);
  Query query = {features, 0, 0, votes.threshold, weights};
  for (uint base = first + get_local_id(0); base < end; base += POSTINGS * GROUP_ITEMS) {
    ulong own[POSTINGS], weight[POSTINGS];
    uint count[POSTINGS];
#pragma unroll
    for (uint p = 0; p < POSTINGS; ++p) {
      own[p] = signatures[min(base + p * GROUP_ITEMS, end - 1)];
      count[p] = 0, weight[p] = 0;
    }
    query.first = list.first_feature;
    for (uint i = list.first_feature; i < list.end_feature; ++i) {
      const ulong2 feature = features[i];
#pragma unroll
      for (uint p = 0; p < POSTINGS; ++p) {
        const uint distance = (uint)popcount(own[p] ^ feature.x);
        if (distance <= votes.threshold) {
          ++count[p];
          weight[p] += weights[distance];
        }
      }
      if (feature.y >> 32 == 0) continue;
      query.end = i + 1;
#pragma unroll
      for (uint p = 0; p < POSTINGS; ++p) {
        const uint at = base + p * GROUP_ITEMS;
        if (count[p] > 0 && at < end) {
          add_score(signatures, images, list, &query, at, count[p], weight[p],
                    scores + (uint)feature.y * votes.image_count);
        }
        count[p] = 0, weight[p] = 0;
      }
      query.first = i + 1;
    }
  }
}

// The other kernels find the images that may be among the best `wanted` of each query. Values go
// into BINS bins of 1/128 of an octave, from 2^-24 to 2^8, in the order of the values; those beyond
// go into the first and the last. All images from the bin of the last wanted one on are candidates.
double value_of(ulong score, double query_norm, float norm) {
  return (double)score / (query_norm * (double)norm);
}

uint bin_of(double value) {
  const long bin = as_long(value) / (1L << 45) - ((1023L - 24) << 7);
  return (uint)clamp(bin, 0L, (long)BINS - 1);
}

// Counts the values in each bin; a work-group takes SELECT_IMAGES images of a query.
kernel __attribute__((reqd_work_group_size(SELECT_ITEMS, 1, 1))) void count_values(
    global const ulong* scores, global const float* norms, global const double* query_norms,
    uint image_count, uint chunks, global uint* bins) {
  local uint counts[BINS];
  const uint item = get_local_id(0);
  const uint query = get_group_id(0) / chunks;
  const uint first = get_group_id(0) % chunks * SELECT_IMAGES;
  for (uint bin = item; bin < BINS; bin += SELECT_ITEMS) counts[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  global const ulong* row = scores + (ulong)query * image_count;
  for (uint i = first + item; i < min(first + SELECT_IMAGES, image_count); i += SELECT_ITEMS) {
    if (row[i] == 0 || !(norms[i] > 0)) continue;
    atomic_inc(&counts[bin_of(value_of(row[i], query_norms[query], norms[i]))]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint bin = item; bin < BINS; bin += SELECT_ITEMS) {
    if (counts[bin] > 0) atomic_add(&bins[query * BINS + bin], counts[bin]);
  }
}

// Finds the highest bin that holds at least `wanted` images together with the bins above it, or
// else the first bin; a work-group per query.
kernel __attribute__((reqd_work_group_size(SELECT_ITEMS, 1, 1))) void find_lowest(
    global const uint* bins, uint wanted, global uint* lowest) {
  local uint sums[SELECT_ITEMS];
  const uint each = BINS / SELECT_ITEMS;
  const uint item = get_local_id(0);
  global const uint* row = bins + get_group_id(0) * BINS;
  uint sum = 0;
  for (uint i = 0; i < each; ++i) sum += row[item * each + i];
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  uint above = 0;
  uint part = SELECT_ITEMS - 1;
  while (part > 0 && above + sums[part] < wanted) above += sums[part--];
  uint bin = part * each + each - 1;
  above += row[bin];
  while (bin > 0 && above < wanted) above += row[--bin];
  lowest[get_group_id(0)] = bin;
}

// Lists the candidates of each query, in any order, up to `room` of them, and counts all. Groups as
// in count_values.
kernel __attribute__((reqd_work_group_size(SELECT_ITEMS, 1, 1))) void gather(
    global const ulong* scores, global const float* norms, global const double* query_norms,
    uint image_count, uint chunks, global const uint* lowest, uint room,
    volatile global uint* candidates, global uint* candidate_images,
    global ulong* candidate_scores) {
  const uint query = get_group_id(0) / chunks;
  const uint first = get_group_id(0) % chunks * SELECT_IMAGES;
  global const ulong* row = scores + (ulong)query * image_count;
  for (uint i = first + get_local_id(0); i < min(first + SELECT_IMAGES, image_count);
       i += SELECT_ITEMS) {
    if (row[i] == 0 || !(norms[i] > 0)) continue;
    if (bin_of(value_of(row[i], query_norms[query], norms[i])) < lowest[query]) continue;
    const uint at = atomic_inc(&candidates[query]);
    if (at >= room) continue;
    candidate_images[(ulong)query * room + at] = i;
    candidate_scores[(ulong)query * room + at] = row[i];
  }
}
